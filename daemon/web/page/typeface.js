/* The typeface, where oche was built with it: the document has the browser fetch it then. Nothing is drawn before it is
   there, so nothing changes its width on the screen; but it is waited for no longer than a reader notices. */

const MOST_MS = 500;

/** Style sheets know by it that letters are narrow: a browser without the file, or that refuses it, keeps its own. */
async function load() {
  const early = /** @type {HTMLLinkElement | null} */ (document.querySelector("link[as=font]"));
  if (!early) return;
  const face = new FontFace("oche", `url("${early.href}")`, { weight: "500 700" });
  document.fonts.add(await face.load());
  document.documentElement.dataset.typeface = "1";
}

/** What waits for the typeface waits for this. */
export const typeface = Promise.race([load().catch(() => {}), new Promise((resolve) => { setTimeout(resolve, MOST_MS); })]);
