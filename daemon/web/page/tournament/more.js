/* What the organiser seldom needs: the codes and links, the files, and the end. */

import { make, setText } from "../dom.js";
import { apiUrl } from "../link.js";
import { nameFile, save } from "../take_home/pictures.js";
import { base, makeCode } from "../wall/seats.js";
import { makeButton, makeGrave, openSheet } from "./fields.js";
import { texts } from "./texts.js";
import { words } from "../words/words.js";

const FILES = /** @type {const} */ ({ file: "jsonl", "results.csv": "csv" });

/** Shows the code to sign up, as large as phones like it. @param {import("./source.js").Source} source */
export async function openCode(source) {
  /** @type {{ local: boolean, sign_up: Oche.JoinCode }} */
  const { local, sign_up: code } = await source.ask(`links?base=${base()}`);
  openSheet(texts.signUpCode, () => [make("ul", { className: "codes" }, makeCode("sign-up-code", texts.signUpCode, words.joining.open, code)),
    ...(local ? [make("p", {}, words.joining.local)] : [])]);
}

/** @param {import("./source.js").Source} source @returns {Promise<Node[]>} */
export async function makeMore(source) {
  const said = make("p", { role: "alert", test: "more-said" });
  const codes = make("ul", { className: "codes", test: "links" });
  const fetchLinks = async () => {
    try {
      /** @type {{ local: boolean, sign_up: Oche.JoinCode, organise?: Oche.JoinCode }} */
      const { local, organise, sign_up: signUp } = await source.ask(`links?base=${base()}`);
      codes.replaceChildren(makeCode("link-sign-up", texts.signUpCode, words.joining.open, signUp),
        ...(organise ? [makeCode("link-organise", texts.organiserLink, words.joining.open, organise)] : []));
      setText(said, local ? words.joining.local : "");
    } catch (problem) {
      setText(said, /** @type {Error} */ (problem).message);
    }
  };
  await fetchLinks();
  const download = async (/** @type {keyof typeof FILES} */ path) => {
    try {
      const response = await fetch(apiUrl(`tournament/${source.id}/${path}`), { headers: source.headers, cache: "no-store" });
      if (!response.ok) throw new Error(words.unreachable);
      save(new File([await response.blob()], `${nameFile(source.view?.spec.name ?? source.id)}.${FILES[path]}`));
    } catch {
      setText(said, words.unreachable);
    }
  };
  const end = makeGrave(texts.end, () => source.do({ do: "end" }, texts.end).then(() => setText(said, ""), ({ message }) => setText(said, message)), "end");
  end.hidden = !source.view?.may.includes("end");
  return [said, codes, make("div", { className: "grid" },
    makeButton(texts.saveFile, () => download("file"), "save-file"), makeButton(texts.saveResults, () => download("results.csv"), "save-results")), end];
}
