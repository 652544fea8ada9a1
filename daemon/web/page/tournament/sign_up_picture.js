/* A picture of who has signed up, taken on a phone that may play here: the code of a tournament alone sets none. */

import { make, setText } from "../dom.js";
import { ask } from "../link.js";
import { keepPicture, makePictureFields } from "../player_picture.js";
import { importTexts } from "../words/words.js";

/** @type {Oche.PlayersLanguage} */
const text = (await importTexts("players")).players;

/** Returns the fields for a picture of each of these people; none where this device may not set one. `read` is called once there is
    a picture. @param {readonly string[]} people @param {() => void} read */
export async function makePictures(people, read) {
  /** @type {Oche.TableInfo[]} */
  const tables = await ask("tables").catch(() => []);
  if (!tables.some(({ role }) => role !== "look")) return [];
  return people.map((name) => {
    const said = make("p", { role: "alert", test: "picture-said" });
    const fields = makePictureFields({ name }, text, said, async (picture) => {
      try {
        await keepPicture(name, picture);
        read();
      } catch (problem) {
        setText(said, /** @type {Error} */ (problem).message);
      }
    });
    return make("div", {}, ...(people.length > 1 ? [make("h3", {}, name)] : []), fields, said);
  });
}
