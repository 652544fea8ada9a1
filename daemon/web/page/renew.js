/* A part of the page that did not come, say because oche was just started anew, is gone for good: a browser does not ask twice.
   So the page is loaded anew, as soon as the daemon answers. No module, but a script that is sent within the document: what
   looks after the other parts cannot fail to come itself. */
{
  const WAIT_MS = 2_000;

  let waits = false;
  /** The style sheets of the document. @type {NodeListOf<HTMLLinkElement> | null} */
  let sheets = null;

  globalThis.renew = async () => {
    if (waits) return;
    waits = true;
    for (;;) {
      await new Promise((done) => setTimeout(done, WAIT_MS));
      const answer = await fetch(location.href, { cache: "no-store" }).catch(() => null);
      if (answer?.ok) return location.reload();
    }
  };

  /** Whether this style sheet has come. @param {HTMLLinkElement} link */
  const hasCome = ({ sheet }) => {
    try {
      return Boolean(sheet?.cssRules.length);
    } catch {
      return false; // browsers do not let a page look into what is not there
    }
  };

  document.addEventListener("readystatechange", () => { sheets ??= document.querySelectorAll("[rel=stylesheet]"); });
  addEventListener("error", ({ target }) => { if (target instanceof HTMLScriptElement) globalThis.renew(); }, true);
  addEventListener("load", () => { if (![...sheets ?? []].every(hasCome)) globalThis.renew(); });
}
