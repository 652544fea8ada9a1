/* The texts of the views for a stream, in Dutch. */

/** @satisfies {Oche.StreamLanguage} */
export const stream = {
  title: "Voor een stream", how: "Kopieer het adres van een link naar OBS, of open het voor de caller.",
  overlay: "Overlay", strip: "Overlay als balk", announcer: "Caller", tables: "Alle banen",
  needsToken: "Dit adres heeft een token nodig: kopieer de link die Meedoen op het scorebord toont.",
  noTable: (wanted, tables) => `Er is geen baan “${wanted}”. Zet een van deze in het adres: ${tables}.`,
  noPart: (wanted, parts) => `Er is geen onderdeel “${wanted}”. Zet een paar van deze in het adres: ${parts}.`,
  noChoice: (name, wanted, values) => `${name}=${wanted} kan niet. Zet een van deze in het adres: ${values}.`,
  noSize: (wanted, least, most) => `size=${wanted} kan niet. Zet een getal van ${least} tot ${most} in het adres.`,
  ways: "Manieren om uit te gooien", chance: (percent) => `${percent}%`, leaves: (left) => `laat ${left} staan`,
  players: "Spelers", visits: "Laatste beurten", scored: "Gescoord", left: "Rest", next: (name) => `Volgende: ${name}`,
};
