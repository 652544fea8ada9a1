/* Files that are sent, such as sounds and art: a button that has one chosen and sent, and one that removes what was sent. */

import { make, setText } from "../dom.js";
import { sayFailure } from "../words/tasks.js";
import { words } from "../words/words.js";

/** What a button tells, and does when it is done. @typedef {{ say(sentence: string): void, show(): Promise<void>, focus(): void }} Teller */
/** What the daemon answers, status 0 where it does not. @typedef {{ status: number, answer: any }} Answer */

/** Returns a button that has a file chosen and sent, and what it opens. `tell` says what has become of the file.
    @param {string} test @param {string} label @param {string} accept @param {{ sending: string, failed: string }} text
    @param {(file: File) => Promise<Answer>} send @param {(answer: any) => string} tell @param {Teller} teller */
export function makeFileButton(test, label, accept, text, send, tell, { say, show }) {
  const input = make("input", { type: "file", accept, hidden: true, test: `${test}-file`, async onchange() {
    const [file] = input.files ?? [];
    input.value = ""; // the same one may be chosen again
    if (!file) return;
    button.disabled = true;
    say(text.sending);
    const { status, answer } = await send(file);
    say(answer.error ? (status ? sayFailure(answer.error) : text.failed) : tell(answer));
    await show();
    button.disabled = false;
    button.focus();
  } });
  const button = make("button", { type: "button", test, onclick: () => input.click() }, label);
  return [button, input];
}

/** Returns a button that is to be pressed twice. @param {string} test @param {string} name
    @param {{ remove: string, sure(name: string): string }} text @param {() => Promise<Answer>} remove @param {string} done @param {Teller} teller */
export function makeRemoveButton(test, name, text, remove, done, { focus, say, show }) {
  const button = make("button", { type: "button", test, ariaLabel: `${text.remove}${words.colon}${name}` }, text.remove);
  button.onclick = () => {
    button.ariaLabel = text.sure(name);
    setText(button, text.sure(name));
    button.onclick = async () => {
      button.disabled = true; // a third press would be told that there is none
      const { status, answer } = await remove();
      say(status === 200 ? done : sayFailure(answer.error));
      await show();
      button.disabled = false; // where it is still there
      focus();
    };
  };
  return button;
}
