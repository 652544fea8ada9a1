/* How wide texts are, before they are drawn. */

/** Returns how wide the widest of these texts is, as a multiple of the size of its letters. @param {string[]} texts @param {number} weight */
export function measureWidest(texts, weight) {
  const context = document.createElement("canvas").getContext("2d");
  if (!context) return Math.max(...texts.map(({ length }) => length)) / 2;
  context.font = `${weight} 100px ${getComputedStyle(document.body).fontFamily}`;
  return Math.max(0, ...texts.map((each) => context.measureText(each).width / 100));
}
