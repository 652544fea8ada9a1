/* The texts of what players take home, the picture of a match and the story of an evening, in Dutch. */

/** @satisfies {Oche.TakeHomeLanguage} */
export const takeHome = {
  picture: "Plaatje van de partij", story: "De avond", match: "De hele partij", upright: "Staand", wide: "Liggend",
  share: "Delen", save: "Opslaan", shareAll: "Alle plaatjes delen", saveAll: "Alle plaatjes opslaan", print: "Afdrukken", drawing: "Het plaatje wordt getekend …",
  lastVisit: "Laatste beurt", bestVisit: "Beste beurt",
  wins: (name) => `${name} wint`, win: (names) => `${names} winnen`, stopped: "Partij afgebroken", drawn: "Geen winnaar", finished: "Training",
  scan: "Neem het plaatje mee naar huis", scanStory: "Neem de avond mee naar huis", scanHow: "De code werkt een uur.",
  newton: "Scan dit met NewTon", newtonHow: "De uitslag van de partij",
  matches: "Partijen", players: "Wie er speelden", firsts: "Voor het eerst", records: "Records", ofMatches: (won, matches) => `${won} van ${matches} gewonnen`,
  firstTimes: { match: "eerste partij", win: "eerste overwinning", 180: "eerste 180", high_finish: "eerste finish van 100 of meer" },
  best: { visit: "Hoogste beurt", finish: "Hoogste finish", 180: "Meeste 180’s", leg: "Minste pijlen", result: "Beste resultaat" },
  personal: "persoonlijk record", none: "Die avond is geen partij uitgespeeld.", earlier: "De avond ervoor", later: "De volgende avond",
  more: (n) => `Alleen de laatste ${n} partijen zijn te zien.`, reading: (done, of) => `Partijen lezen: ${done} van ${of}.`,
  noDay: "In het adres hoort een dag, zoals ?day=2026-11-29, of een week, zoals ?week=2026-W48.",
  ofWeek: { story: "De week", scanStory: "Neem de week mee naar huis", none: "Die week is geen partij uitgespeeld.", earlier: "De week ervoor", later: "De volgende week" },
};
