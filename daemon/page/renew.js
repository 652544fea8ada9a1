/* A part of the page that did not come, say because oche was just started anew, is gone for good: a browser does not
   ask twice. So the page is loaded anew, as soon as somebody answers. */

const WAIT_MS = 2_000;

let waits = false;

/** Loads the page anew once the daemon is there. */
export async function renew() {
  if (waits) return;
  waits = true;
  for (;;) {
    await new Promise((done) => setTimeout(done, WAIT_MS));
    const answer = await fetch(location.href, { cache: "no-store" }).catch(() => null);
    if (answer?.ok) return location.reload();
  }
}

function hasCome({ sheet }) {
  try {
    return sheet.cssRules.length > 0;
  } catch {
    return false; // browsers do not let anybody look into what is not there
  }
}

addEventListener("error", ({ target }) => target.localName === "script" && renew(), true);
addEventListener("load", () => [...document.querySelectorAll("[rel=stylesheet]")].every(hasCome) || renew());
