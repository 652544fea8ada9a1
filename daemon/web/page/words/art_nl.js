/* What is said of art, in Dutch. Loaded with the choice of it, in the language of the page alone. */

/** @satisfies {Oche.ArtLanguage} */
export const art = {
  choice: "Stijl",
  plain: "Gewoon",
  names: { chalk: "Krijt", neon: "Neon" },
  about: "Een stijl is een zipbestand met stijlbladen, plaatjes en geluiden. Kies hem in het menu van elk scherm, onder Stijl.",
  empty: "Je hebt er zelf nog geen.",
  add: "Stijl toevoegen",
  remove: "Verwijderen",
  shipped: "hoort bij oche",
  sending: "Wordt verzonden en gecontroleerd …",
  failed: "Het bestand is niet aangekomen: probeer het opnieuw.",
  art: (files, kilobytes) => `bestanden: ${files}, ${kilobytes} kB`,
  added: (art, files, leftOut) => `${art} is toegevoegd. Bestanden: ${files}${leftOut ? `. Weggelaten, omdat ze niet bij een stijl horen: ${leftOut}` : ""}`,
  removed: (art) => `${art} is verwijderd.`,
  sure: (art) => `${art} echt verwijderen?`,
  ownTitle: "Je eigen plaatje of geluid bij een moment",
  ownAbout: "Een GIF van hoogstens 10 seconden, een ander plaatje of een geluid, hoogstens 1 MB. Elk scherm aan de muur toont het, bij elke stijl; geluiden hoor je waar Geluid aan staat.",
  event: "Moment",
  picture: "Plaatje kiezen",
  sound: "Geluid kiezen",
  kept: "Opgeslagen.",
  gone: "Verwijderd.",
  events: { 180: "180", big_fish: "Big fish (170)", nine_darter: "Perfecte leg", shanghai: "Shanghai", white_horse: "White horse", three_in_a_bed: "Drie in één bed", hat_trick: "Hattrick", high_out: "Hoge finish", first_leg: "Allereerste leg", match_dart_missed: "Matchdart gemist", comeback: "Comeback", bust: "Bust", leg_won: "Leg gewonnen", match_won: "Partij gewonnen", badge: "Badge", walk_on: "Opkomst" },
};
