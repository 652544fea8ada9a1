/* The texts of the statistics that no other page needs, in Dutch. Loaded with them, in the language of the page alone. */

/** @satisfies {Oche.StatisticsLanguage} */
export const statistics = {
  about: {
    mpr: "marks per ronde van drie pijlen", average: "punten met drie pijlen", ppd: "punten per pijl",
    firstNine: "gemiddelde van de eerste negen pijlen van elke leg",
    upTo80: "gemiddelde tot de koploper 80% van de leg achter de rug heeft: zo rekenen softtipautomaten",
    level: "niveau zoals op softtipautomaten, 18 is het beste", rate: "hoeveel van de pogingen om uit te gooien raak waren",
    checkouts: "keer uitgegooid, van alle pogingen", highFinish: "de meeste punten, in één beurt uitgegooid",
    bestLeg: "de minste pijlen voor een gewonnen leg", highVisit: "de meeste punten in één beurt", visits: "beurten met zo veel punten",
    marks: "beurten met zo veel marks",
  },
  loading: "De partijen worden gelezen …", offline: "oche antwoordt niet. Zodra het dat doet, verschijnen de partijen vanzelf.",
  more: "Meer cijfers", won: "Gewonnen partijen", bestResult: "Beste resultaat", latest: "Laatste resultaat",
  lastFive: (value) => `${value} in de laatste vijf partijen`,
  trends: { up: "stijgend", down: "dalend", level: "stabiel" },
  columns: ["Partij", "Tijd", "Resultaat", "Pijlen"], mpr: "MPR: marks per ronde van drie pijlen.",
  onlyBed: (bed, n) => `Alle ${n} pijlen zaten in ${bed}.`,
  onlyThese: (n) => `Dit zijn ${n} van alle partijen; tik op een kop om ze te sorteren.`,
  picture: "Plaatje", evening: "De avond",
  rivals: "Rivalen",
  edit: "Profiel bewerken",
  ghost: "Speel tegen de beste leg", ghosts: (name) => `Speel tegen een leg van ${name}:`,
  empty: {
    title: "Wat hier komt te staan",
    items: [
      "je gemiddelde, en of het stijgt", "je beste leg, je hoogste finish, en hoe vaak je elke dubbel raakt",
      "elke partij met de uitslag, pijl voor pijl terug te zien",
    ],
    how: "oche houdt dat vanzelf bij: speel een partij uit.", play: "De eerste partij spelen",
    tokens: "Begin de eerste partij op een apparaat dat mag spelen.",
  },
};
