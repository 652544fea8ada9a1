/* The texts of the page of players, in Dutch. Loaded with it, in the language of the page alone. */

/** @type {Oche.PlayersLanguage} */
export const players = {
  title: "Spelers", none: "Er zijn nog geen spelers.", add: "Toevoegen", newName: "Naam van een nieuwe speler", save: "Opslaan", saved: "Opgeslagen.",
  help: "Tik op een speler om het profiel in te vullen. Alleen wie instellingen mag wijzigen, kan spelers een andere naam geven.",
  nickname: "Bijnaam", colour: "Kleur", noColour: "Automatisch", hand: "Gooit met", hands: { "": "Niet opgegeven", right: "de rechterhand", left: "de linkerhand" },
  doubles: "Favoriete dubbels", doublesHelp: "Getallen met komma’s ertussen, de beste eerst; 25 is de bull. Vanaf de volgende nieuwe partij eindigt de finishhulp erop.",
  noNumbers: "Schrijf favoriete dubbels als getallen met komma’s ertussen, zoals 16, 8.",
  sound: "Walk-on-geluid", sounds: { "": "Geen", name: "De naam, uitgesproken", rising: "Stijgende tonen", fanfare: "Fanfare", bell: "Bel", drum: "Trommel" },
  soundHelp: "Te horen als een partij begint, op apparaten waar in het menu het geluid aanstaat; de uitgesproken naam waar de caller aanstaat.", hear: "Beluisteren",
  counts: "Partijen meetellen in de statistieken", filmed: "Mag door de camera voor grote momenten gefilmd worden", takePicture: "Foto maken", choosePicture: "Bestand kiezen", removePicture: "Foto verwijderen",
  noPicture: "Deze browser kan dit bestand niet als foto lezen. Kies een JPEG of PNG.",
  pictureHelp: "Dit apparaat snijdt de foto bij tot een vierkant en verkleint hem. Iedereen die de pagina kan openen, kan hem zien.",
  recorded: {
    title: "Opgenomen naam", choose: "Opname kiezen of maken", record: "Opnemen", recording: (seconds) => `Zeg de naam: dit apparaat neemt ${seconds} seconden op.`,
    help: "Zeg de naam zoals de caller hem moet zeggen. Schermen met de caller spelen hem vanaf de volgende partij af. Iedereen die de pagina kan openen, kan hem horen.",
    heard: "Beluister de opname en bewaar haar dan.", again: "Opnieuw opnemen", listen: "Beluisteren", keep: "Opname bewaren", remove: "Opname verwijderen",
    unreadable: "Deze browser kan de opname niet afspelen, of er is niets op te horen. Neem de naam opnieuw op of kies een ander bestand.",
    refused: "Deze pagina mag de microfoon niet gebruiken. Sta dat toe in de browser of kies een bestand.",
  },
  figures: "Statistieken", known: (names) => `Komt in partijen voor als: ${names}`, split: (name) => `${name} is een andere speler`,
  rename: "Naam wijzigen", renameTo: "Nieuwe naam", merge: "Samenvoegen", mergeInto: "is dezelfde persoon als", forget: "Verwijderen …",
  renameHelp: "Ook eerdere partijen tonen de nieuwe naam.", mergeHelp: "Alle partijen van beiden horen dan bij de andere speler. Het profiel van deze speler wordt verwijderd. De namen kun je later weer scheiden.",
  sureRename: (name, to) => `${name} vanaf nu ${to} noemen?`, sureMerge: (name, to) => `Zijn ${name} en ${to} dezelfde persoon?`,
  sureForget: (name, matches) => `${name} verwijderen? In ${matches} ${matches === 1 ? "partij" : "partijen"} komt in plaats van de naam “Forgotten player” te staan. De pijlen blijven, maar tellen in geen enkele statistiek mee. Het profiel wordt verwijderd. Dit kun je niet ongedaan maken.`,
  kept: (files) => `In deze bestanden kan de naam nog staan. Verwijder de bestanden die je niet nodig hebt: ${files}`,
  backups: "Ook in oudere back-ups staat de naam.", league: "De competitie hoort het zodra ze te bereiken is.", configured: "De naam staat in de configuratie. Verwijder hem in de instellingen.",
  yes: "Ja", no: "Nee", forgotten: (name) => `${name} is verwijderd.`, forgetForGood: "Voorgoed verwijderen",
};
