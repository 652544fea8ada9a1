/* Whole numbers that are typed into one field, such as favourite doubles. */

/** Returns them; commas, semicolons or blanks stand between. Null: one is no whole number. @param {string} typed */
export function readNumbers(typed) {
  const found = typed.split(/[\s,;]+/).filter(Boolean).map(Number);
  return found.every(Number.isInteger) ? found : null;
}
