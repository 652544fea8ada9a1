/* What is said of art, in English. Loaded with the choice of it, in the language of the page alone. */

/** @satisfies {Oche.Texts} */
export const art = {
  choice: "Look",
  plain: "Plain",
  names: /** @type {Record<string, string>} */ ({ chalk: "Chalk", neon: "Neon" }),
  about: "Art gives the page another look: a zip file with style sheets, pictures and sounds. Choose it in the menu of each screen, under Look.",
  empty: "You have not added any yet.",
  add: "Add art",
  remove: "Remove",
  shipped: "comes with oche",
  sending: "Sending and checking …",
  failed: "The file did not arrive: try again.",
  art: (files, kilobytes) => `files: ${files}, ${kilobytes} kB`,
  added: (art, files, leftOut) => `${art} was added. Files: ${files}${leftOut ? `. Left out, because they are no part of art: ${leftOut}` : ""}`,
  removed: (art) => `${art} was removed.`,
  sure: (art) => `Really remove ${art}?`,
  ownTitle: "Your own picture or sound for a moment",
  ownAbout: "A GIF of at most 10 seconds, another picture, or a sound, at most 1 MB. Every wall shows it, with any look; sounds are heard where Sound is on.",
  event: "Moment",
  picture: "Choose a picture",
  sound: "Choose a sound",
  kept: "Stored.",
  gone: "Removed.",
  events: /** @type {Record<string, string>} */ ({ 180: "180", big_fish: "Big fish (170)", nine_darter: "Perfect leg", shanghai: "Shanghai", white_horse: "White horse", three_in_a_bed: "Three in a bed", hat_trick: "Hat trick", high_out: "High finish", first_leg: "First leg ever", match_dart_missed: "Match dart missed", comeback: "Comeback", bust: "Bust", leg_won: "Leg won", match_won: "Match won", badge: "Badge", walk_on: "Walk-on" }),
};
