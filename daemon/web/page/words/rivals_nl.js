/* The texts about rivals, goals and practice, in Dutch. Loaded with them, in the language of the page alone. */

/** @satisfies {Oche.RivalsLanguage} */
export const rivals = {
  title: "Rivalen",
  league: {
    title: "Competitie van de maand", month: "Maand", none: "In deze maand hebben nog geen twee spelers een partij tegen elkaar uitgespeeld.",
    rule: "Drie punten voor winst, één voor gelijkspel. Alleen partijen tussen twee mensen tellen. Bij gelijke punten beslissen de onderlinge partijen, daarna het gemiddelde in het meest gespeelde spel.",
    columns: ["Speler", "Punten", "Gespeeld", "Gewonnen", "Gelijk", "Verloren", "Legs"], value: (kind, game) => `${kind}, ${game}`,
  },
  ratings: {
    title: "Speelsterkte", game: "Spel", others: (game) => `${game}: drie of meer, en teams`, columns: ["Speler", "Sterkte", "Minstens", "Partijen", "Laatst", "Verloop"],
    rule: "Een nieuwe speler heeft 1500. De sterkte ligt bijna altijd binnen het getal na ±. De volgorde gaat naar wat iedereen minstens heeft; met een paar gelukkige partijen sta je dus niet bovenaan.",
    way: (from, to, n) => `Van ${from} naar ${to} in ${n}`,
    classes: "Gemiddelden en klassen", heads: ["Speler", "PR"], ppd: "PPD, X01", mpr: "MPR, Cricket",
    classRule: "PR is punten per pijl plus tien keer de marks per ronde. Een klasse betekent ‘ongeveer deze klasse volgens die tabel’, eerst in X01, dan in Cricket; het is geen rating van een fabrikant. DARTSLIVE 80 % is de tabel van de fabrikant, voor de eerste 80 % van elke leg; de andere komen uit een onofficiële van 2026.",
  },
  pair: {
    title: "Onderlinge duels", players: ["Eerste speler", "Tweede speler"], choose: "Kies twee spelers.",
    never: (one, other) => `${one} en ${other} hebben nog geen partij tegen elkaar uitgespeeld.`,
    leads: (name, won, lost) => `${name} leidt met ${won} - ${lost}`, level: (won) => `Het staat ${won} - ${won}`,
    drawn: (n) => `${n} gelijk`, streak: (name, n) => (n === 1 ? `${name} won de laatste partij.` : `${name} won de laatste ${n} partijen.`),
    latest: "Laatste partijen, oudste eerst", draw: "gelijk", game: "Spel", drawnHead: "Gelijk", streakHead: "Reeks", run: (name, n) => `${name}, ${n}`,
    teams: "Alleen partijen tussen deze twee tellen, niet die van teams.",
    handicap: {
      find: "Bereken een eerlijke handicap", title: "Eerlijke handicap", working: "Wordt berekend …",
      starts: (game, one, score, other, otherScore) => `${game}: ${one} begint op ${score}, ${other} op ${otherScore}.`, even: (game) => `${game}: niemand heeft een handicap nodig.`,
      chance: (name, fair, before) => `${name} wint dan een leg met ${fair}; vanaf dezelfde score zou het ${before} zijn.`, from: (one, darts, other, otherDarts) => `Uit ${darts} van ${one} en ${otherDarts} van ${other}.`,
      few: (darts, game) => `Hiervoor zijn van elk ${darts} nodig in spellen zoals ${game}.`, none: "Een handicap heeft partijen X01 nodig met dezelfde start voor iedereen, straight in.",
    },
  },
  goals: {
    title: "Doelen", reached: "gehaald",
    kinds: { darts: "Pijlen per week", days: "Dagen op rij", weeks: "Weken op rij", average: "Gemiddelde in een spel" },
    progress: (value, amount) => `${value} van ${amount}`, average: (game) => `Gemiddelde, ${game}`, mpr: (game) => `Marks per ronde, ${game}`, notPlayed: "nog niet gespeeld",
    kind: "Doel", amount: "Hoeveel", game: "Spel", add: "Doel toevoegen", remove: "Dit doel verwijderen",
    help: "Het gemiddelde is dat van de laatste vijf partijen. De kaart bij de statistieken laat zien hoe ver je bent.",
  },
  calendar: { title: "Kalender", label: "Pijlen op elke dag van de laatste twaalf weken", weekOf: (day) => `Week van ${day}`, on: (day, darts) => `${day}: ${darts}` },
  practice: {
    title: "Dubbels om te oefenen", help: "De dubbels die het minst vaak geraakt worden, dertig pijlen op elk.", double: (name, hits, darts) => `${name}: ${hits} van ${darts}`,
    start: "Begin de training", by: (name, doubles) => `${name}: ${doubles}`, none: "Niemand hier heeft al tien pijlen op een dubbel gegooid.",
    running: (title) => `Op deze baan wordt nu ${title} gespeeld.`, stop: "Stoppen en de training beginnen", no: "Doorspelen",
  },
};
