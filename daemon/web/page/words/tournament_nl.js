/* De teksten van toernooien, in het Nederlands. */

/** @satisfies {Oche.TournamentLanguage} */
export const tournament = {
  tournaments: "Toernooien", list: "Toernooien", make: "Nieuw toernooi", loading: "Laden …", gone: "Bij deze link hoort geen toernooi.",
  offline: "Geen verbinding. Er wordt verder geprobeerd …", waits: (n) => (n === 1 ? "Geen verbinding. Wat je hebt aangetikt, is bewaard en wordt verstuurd." : `Geen verbinding. ${n} tikken zijn bewaard en worden verstuurd.`),
  needsSetup: "Voer op dit apparaat het setup-token in om een toernooi te maken.", enterSetup: "Setup-token invoeren",
  views: { bracket: "Schema", tables: "Banen", organise: "Leiden", print: "Afdrukken" },
  phases: { sign_up: "Inschrijving", playing: "Bezig", over: "Afgelopen" }, played: (played, matches) => `${played} van ${matches} partijen gespeeld`,
  wonBy: (name) => `Winnaar: ${name}`,
  close: "Sluiten", less: (label) => `${label}: minder`, more: (label) => `${label}: meer`, sure: (label) => `${label}? Druk nog een keer`,

  kind: "Soort",
  kinds: {
    knock_out: "Knock-out", double_knock_out: "Dubbele knock-out", round_robin: "Iedereen tegen iedereen", groups: "Poules, dan knock-out",
    swiss: "Zwitsers", ladder: "Ladder", open: "Open avond",
  },
  sides: "Kanten", sideKinds: { singles: "Enkel", fixed: "Koppels", drawn: "Gelote koppels", teams: "Teams" }, teamHow: "Typ een team met zijn spelers: “Thuis: Ann, Bo”. De eerste speelt tegen de eerste, de tweede tegen de tweede.", teamExample: "Thuis: Ann, Bo", inTurn: (n) => (n === 2 ? "Tik partners na elkaar aan." : `Tik de ${n} van een kant na elkaar aan.`),
  name: "Naam van het toernooi", draw: "Loten", drawOf: (n) => `Loten (${n})`, openSignUp: "Inschrijving openen", makes: "Het toernooi wordt gemaakt …",
  tooFew: "Een toernooi heeft twee kanten nodig: tik spelers aan, of typ hun namen.", lacksPartner: (n) => (n === 2 ? "De laatste speler heeft nog geen partner." : `De laatste kant heeft minder dan ${n} spelers.`),
  options: {
    size: "Spelers per kant", doubles: "Teams: ook een koppelpartij", sets: "Sets om te winnen", byRound: "Legs om te winnen in sommige rondes (0: zoals in de andere)", finalSets: "Finale: sets om te winnen", losers: "Verliezerskant", third: "Partij om de derde plaats", second: "Tweede finale als de ongeslagen kant de eerste verliest",
    groups: "Poules", through: "Gaan door per poule", twice: "Iedereen speelt twee keer tegen elkaar", rounds: "Rondes (0: zo weinig als één winnaar nodig heeft)", reach: "Zoveel plaatsen omhoog mag je uitdagen",
    seeding: "Plaatsing", seedings: { draw: "Geloot", hand: "Met de hand", average: "Op gemiddelde", rating: "Op speelsterkte" }, first: "Gooit als eerste", firsts: { drawn: "Eerlijk geloot", bull: "Gooien om de bull" },
    win: "Punten voor winst", drawn: "Punten voor gelijkspel", ties: "Bij gelijke punten", tieBreak: (n) => `Regel ${n}`,
    tieBreaks: {
      direct: "De onderlinge partij", leg_difference: "Legsaldo", level_leg_difference: "Onderling legsaldo", legs_won: "Gewonnen legs", wins: "Gewonnen partijen",
      opponents: "Punten van de tegenstanders", average: "Gemiddelde", lots: "Loting",
    },
    withdrawn: "Als een kant stopt", withdrawals: { walkover: "De anderen winnen zonder te spelen", annul: "Hun partijen schrappen als er weinig zijn gespeeld" },
    rest: "Rust tussen twee partijen, in minuten", confirm: "Elke inschrijving bevestigen",
  },

  // Wat de leiding doet.
  needs: {
    disputed: (pair) => `${pair}: de uitslag is verbeterd, maar anderen zijn er al mee begonnen`, other: (table) => `${table} speelt iets anders`, away: (table) => `${table} antwoordt niet`, board: (table) => `${table}: het bord antwoordt niet. Zet het aan, of voer de darts met de hand in`,
    paper: (pair, table) => `Voer de uitslag in: ${pair} (${table})`, confirm: (name) => `${name} wil meedoen`, late: (name) => `${name} kwam te laat: zoek een plaats`, noTable: "Voeg een baan toe",
    few: (n) => (n === 1 ? "Voor de poules moet er nog een bij" : `Voor de poules moeten er nog ${n} bij`),
    draw: (n) => `Loten (${n} ingeschreven)`, drawNext: "Loot de volgende ronde", code: "Toon de code om in te schrijven",
  },
  inputs: {
    enter: (name) => `${name} ingeschreven`, change: (name) => `Wijziging van ${name}`, leave: (name) => `${name} vertrokken`, draw_sides: "Loting van de kanten", draw_seats: "Loting", draw_groups: "Loting van de poules",
    draw_round: "Loting van de ronde", draw_ladder: "Loting", seat_late: (name) => `${name} later erbij`, pair: (pair) => `Partij ${pair}`, set_tables: "Wijziging van de banen",
    call_to: (pair, table) => `${pair} opgeroepen naar ${table}`, callBack: (pair) => `${pair} teruggeroepen`, result: (pair, score) => `${pair} ${score}`, take_back: (pair) => `Uitslag van ${pair} teruggenomen`,
    set_writer: (pair) => `Schrijver van ${pair}`, settle: (pair) => `${pair} blijft staan`, end: "Einde",
  },
  status: {
    waiting: "wacht", ready: "klaar", called: "opgeroepen", playing: "bezig", played: "gespeeld", disputed: "betwist", walkover: "zonder spel", bye: "vrij", annulled: "geschrapt",
  },
  boardAway: "het bord antwoordt niet",
  tableStatus: { free: "vrij", called: "opgeroepen", playing: "speelt", else: "speelt iets anders", away: "antwoordt niet" },
  tables: "Banen", ready: "Klaar om te spelen", pairing: "Wie tegen wie", people: "Deelnemers", results: "Uitslagen", more_: "Codes, bestanden, einde", match: "Partij", next: (pair) => `hierna: ${pair}`, auto: "Partijen vanzelf oproepen",
  ends: (end, early, late) => `eindigt rond ${end} (${early} tot ${late})`, notOrganiser: "Dit ziet alleen de leiding: open haar link, of voer op dit apparaat het setup-token in.",
  undo: "Ongedaan maken", redo: "Opnieuw", writer: "Schrijft", writes: (name) => `${name} schrijft`, youWrite: (pair, table) => `Jij schrijft: ${pair}, ${table}`,
  call: "Oproepen naar", callTo: (table) => `Oproepen naar ${table}`, move: "Verplaatsen naar", callBack: "Terugroepen", paused: "gepauzeerd",
  result: "Uitslag invoeren", correct: "Uitslag verbeteren", enterResult: "Invoeren", saveCorrection: "Verbeteren", winner: "Winnaar", drawn: "Gelijkspel", whoWon: "Kies wie heeft gewonnen.",
  takeBack: "Uitslag terugnemen", takeBackOf: (pair) => `${pair} terugnemen`, givesAway: (name) => `${name} geeft de partij weg`,
  outdated: (score, table) => `eindigde op ${table} met ${score}, nadat ze opnieuw was opgeroepen of teruggeroepen. Dat telt nergens mee`,
  disputeHow: "Aan de baan is deze uitslag verbeterd, en de winnaar is een ander. Partijen die ervan afhangen, zijn begonnen.", settle: "De eerste uitslag laten staan",
  pause: "Pauzeren", resume: "Verder", playFirst: "Eerst hierheen oproepen", removeTable: "Baan verwijderen", addTable: "Baan toevoegen", paper: "Een baan zonder oche", paperHow: "Je roept de partijen zelf op en voert de uitslagen in.", otherTable: "Banen van andere oches", otherNone: "Nog geen gevonden. Elke oche moet aanstaan en dezelfde broker gebruiken als deze.", tableOf: (bridge) => `op ${bridge}`, olderTable: (bridge) => `op ${bridge} · oudere oche: uitslagen worden met de hand ingevoerd`,
  paperName: "Naam van de baan", paperNumber: (n) => `Papier ${n}`,
  confirm: "Bevestigen", toConfirm: "niet bevestigd", paid: "Betaald", rename: "Hernoemen", save: "Opslaan", teamName: "Naam van de kant", leave: "Verlaat het toernooi", refuse: "Weigeren", hasLeft: "is vertrokken", change: "Wijziging",
  seed: "Plaatsingsnummer (0: geen)", seeded: (n) => `geplaatst: ${n}`, rated: (average, darts) => `Gemiddelde van de laatste 90 dagen: ${average} (${darts})`, ratedAs: (rating) => `Speelsterkte ${rating}`, unrated: "Geen gemiddelde van de laatste 90 dagen",
  late: "Later erbij: op een vrije plaats", joinNow: "Doet vanaf nu mee", noBye: "Geen vrije plaats: ze zijn bezet, of de partners zijn begonnen.", addEntrant: "Naam van iemand nieuw",
  challenges: (name) => `${name} daagt uit`, plays: (name) => `${name} speelt tegen`, isTop: "Niemand staat erboven.", notMet: "Nog niet gespeeld", metBefore: "Al gespeeld",
  signUpCode: "Inschrijven", organiserLink: "Leiden op een ander apparaat", saveFile: "Opslaan als bestand", saveResults: "Uitslagen als CSV", end: "Toernooi beëindigen", restore: "Herstellen uit een bestand",
  newton: {
    title: "Met NewTon spelen", handOver: "Scan dit met de tablet", text: "Hetzelfde als tekst", take: "Uitslag overnemen", paste: "Plak de tekst van de uitslag", read: "Tekst lezen", photo: "Foto van de code", accept: "Uitslag aannemen", noPicture: "Dit bestand is geen afbeelding.",
    play: "Een partij van NewTon spelen", playHow: "NewTon toont bij elke partij een code. Maak er een foto van, of plak de tekst.", pasteMatch: "Plak de tekst van de partij", planned: (match, table) => `${match}: gepland op ${table}. Start de partij daar; na afloop toont de baan de code voor NewTon.`,
  },

  // Inschrijven.
  signUp: "Inschrijven", signUpFor: (kind) => `Inschrijving: ${kind}`, yourName: "Je naam", playerNumber: (n) => `Speler ${n}`, code: "Code op het scherm", signUpMore: "Nog iemand inschrijven", signUpClosed: "De inschrijving is gesloten: vraag het de leiding.",
  happensNext: "Je doet meteen mee. Deze pagina toont dan wanneer en waar je speelt.", happensConfirmed: "De leiding bevestigt je. Deze pagina toont dan wanneer en waar je speelt.",
  entered: (n) => `Ingeschreven: ${n}`, youAreIn: (name, n) => `${name}, je doet mee: nummer ${n}`, youWait: (name) => `${name}, de leiding moet je nog bevestigen`,
  yourNext: "Je volgende partij", youPlay: "Je speelt nu", about: (time) => `rond ${time}`, drawComes: "Hierna wordt er geloot.", noNext: "Er wacht geen partij op je.", yourPlace: (first, last) => (first === last ? `Je plaats: ${first}` : `Je plaats: ${first} tot ${last}`),
  placed: (place) => `Plaats ${place} in de stand`, placedIn: (place, group) => `Plaats ${place} in poule ${group}`,

  redraw: "Opnieuw loten", start: "Start", swap: "Tik twee namen aan om ze van plaats te laten wisselen.", order: "Volgorde", rests: "Rust", bye: "Vrij", sideNumber: (n) => `Kant ${n}`,
  nobody: "niemand", unknown: "nog niet bekend",
  awaits: { winner: (match) => `Winnaar ${match}`, loser: (match) => `Verliezer ${match}`, place: (group, place) => `Plaats ${place} van poule ${group}` },
  rounds: {
    final: "Finale", second: "Tweede finale", semi: "Halve finale", quarter: "Kwartfinale", third: "Partij om de derde plaats", last: (n) => `Laatste ${n}`, round: (n) => `Ronde ${n}`,
    winners: (n) => `Winnaarskant, ronde ${n}`, losers: (n) => `Verliezerskant, ronde ${n}`, group: (group) => `Poule ${group}`, match: (round, n) => `${round} · ${n}`,
  },
};
