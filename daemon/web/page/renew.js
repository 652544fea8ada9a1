/* A part of the page that did not come, say because oche was just started anew, is gone for good: a browser does not ask twice.
   So the page is loaded anew, as soon as the daemon answers; later each time, where that does not help. No module, but a
   script that is sent within the document: what looks after the other parts cannot fail to come itself. */
{
  const WAIT_MS = 1_000;
  const MOST_MS = 60_000;
  const KEY = "renewed_after_ms";

  let waits = false;
  /** The style sheets of the document. @type {NodeListOf<HTMLLinkElement> | null} */
  let sheets = null;

  /** Whether this is one of the daemon's own files: what a browser or a proxy has put into the document may never come. */
  const isOwn = (/** @type {string} */ address) =>
    ["static/", "joined/"].some((folder) => address.startsWith(new URL(folder, document.baseURI).href));

  /** Returns how long to wait: twice as long as before a page that did not hold. */
  const nextWait = () => {
    try {
      const held = performance.now() > MOST_MS;
      const wait = Math.min(MOST_MS, 2 * Number(held ? 0 : sessionStorage[KEY] ?? 0) || WAIT_MS);
      sessionStorage[KEY] = wait;
      return wait;
    } catch {
      return MOST_MS / 10; // a browser may keep nothing
    }
  };

  const renew = async () => {
    if (waits) return;
    waits = true;
    const wait = nextWait();
    for (;;) {
      await new Promise((done) => setTimeout(done, wait));
      const answer = await fetch(location.href, { cache: "no-store" }).catch(() => null);
      if (answer?.ok) return location.reload();
    }
  };
  globalThis.renew = renew;

  /** Whether this style sheet has come. @param {HTMLLinkElement} link */
  const hasCome = ({ sheet }) => {
    try {
      return Boolean(sheet?.cssRules.length);
    } catch {
      return false; // browsers do not let a page look into what is not there
    }
  };

  document.addEventListener("readystatechange", () => { sheets ??= document.querySelectorAll("[rel=stylesheet]"); });
  addEventListener("error", ({ target }) => { if (target instanceof HTMLScriptElement && isOwn(target.src)) renew(); }, true);
  addEventListener("load", () => { if (![...sheets ?? []].every((link) => !isOwn(link.href) || hasCome(link))) renew(); });
}
