/* What is wrong on the screen, as sentences: beside the state that it should show, and as people see it. */
async ({ state, way, wall }) => {
  const { words } = await import(new URL("static/words/words.js", document.baseURI).href); // those of the page, in its language
  const PATIENCE_MS = 60_000;
  const NO_TEXT = "svg, .unseen, [aria-hidden=true]:not(.badge), noscript, datalist, #toast, select";
  const GIVES_WAY = ".facts, #own-facts, .figures, .slate th span";
  const LEAST_PX = 24;
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const of = (name) => document.querySelector(`[data-testid="${CSS.escape(name)}"]`);
  const text = (element) => element?.textContent.trim() ?? null;
  const countDrawn = (element) => (element.querySelector("svg title") ? /\d+/.exec(text(element))[0] : text(element)); // lives
  const visible = (element) => Boolean(element?.checkVisibility({ checkVisibilityCSS: true }));

  function* lies() {
    const same = function* (what, shown, wanted) {
      if (shown !== wanted) yield `${what}: ${JSON.stringify(shown)} is shown, ${JSON.stringify(wanted)} is so`;
    };
    const { sides, turn, phase } = state;
    for (const sheet of document.querySelectorAll("[rel=stylesheet]")) {
      if (!sheet.sheet) yield `${sheet.getAttribute("href")} has not come`;
    }
    yield* same("title", text(of("title")), words.title(state.title));
    yield* same("phase", document.body.dataset.phase, phase);
    yield* same("sides", document.querySelectorAll("#sides > .side").length, sides.length);
    for (const [index, side] of sides.entries()) {
      const scores = [`score-${index}`, `points-${index}`, `final-${index}`].map(of).filter(visible); // card, slate or summary
      const isOther = of(`score-${index}`)?.matches(".named") || visible(of("practice")); // the ring, or the result
      if (!scores.length && index === turn?.side) scores.push(...[of("own-score") ?? of("score")].filter(visible)); // a phone has cards for the others only
      const isPoints = visible(of(`score-${index}`)) && side.detail.number != null && side.detail.points != null; // what decides, not what is left
      const wanted = isPoints ? side.detail.points : side.score;
      if (!isOther) yield* same(`score ${index}`, scores.map(countDrawn).join(" "), String(wanted ?? "–"));
      yield* same(`name ${index}`, text(of(`name-${index}`)), side.name);
    }
    if (phase === "over") {
      for (const index of state.winners) {
        if (!text(of("winner"))?.includes(sides[index].name)) yield `winner ${index} is not named`;
      }
      if (visible(of("hero"))) yield "a turn is shown after the end";
      return;
    }
    yield* same("player", text(of("player")), turn.player ?? sides[turn.side].name);
    if (!of("score")?.matches(".named")) yield* same("score", text(of("score")), String(sides[turn.side].score ?? "–"));
    yield* same("side's turn", document.querySelector("#sides > [aria-current=true]")?.dataset.testid, `side-${turn.side}`);
    const slots = [...document.querySelectorAll("#darts button")];
    yield* same("darts", slots.map((slot) => slot.dataset.segment).filter(Boolean).join(" "),
      turn.darts.map((dart) => dart.segment).join(" "));
    const typed = document.body.matches(".typed"); // as totals: then there are no places for darts that may come
    if (typed && turn.darts.some(({ segment }) => !["TOTAL", "MISS"].includes(segment))) yield "a bed is known, and totals are expected";
    yield* same("places for darts", visible(of("visit")) ? slots.length : 0, turn.darts.length + (typed ? 0 : turn.darts_left));
    for (const [index, side] of sides.entries()) {
      const lines = [...(of(`visits-${index}`)?.children ?? [])].filter(visible).map(text);
      const visits = (side.visits ?? []).map(({ bust, points, score }) => `${bust ? "–" : points} ${score}`);
      yield* same(`visits ${index}`, lines.join(", "), lines.length ? visits.slice(-lines.length).join(", ") : "");
    }
    const ways = visible(of("hint")) ? of("hint").querySelectorAll(".item") : document.querySelectorAll(".advised:not(.leaving) b");
    const hint = [...ways].filter(visible).map(text);
    yield* same("hint", hint.join(" "), phase === "throwing" ? way.join(" ") : "");
    for (const prompt of state.prompts) {
      const rows = (prompt.options ?? []).filter((option) => visible(of(`row-${option}`)));
      if (!visible(of(`prompt-${prompt.id}`)) && !rows.length) yield `the prompt ${prompt.id} is not to be seen`;
    }
    for (const [name, on] of [["next", ["throwing", "takeout"].includes(phase)], ["miss", phase === "throwing" && !typed]]) {
      yield* same(`${name} can be pressed`, of(name)?.disabled === false, on);
    }
  }

  const called = (element) => {
    const named = element.closest("[data-testid]");
    return (named?.dataset.testid ?? "") + (named === element ? "" : ` ${element.tagName.toLowerCase()}.${element.className}`);
  };
  const quoted = ({ parent, text }) => `${called(parent)} ${JSON.stringify(text)}`;

  /* Where each piece of text is drawn, made a little smaller: a letter seldom fills its line. */
  function* drawn() {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const parent = node.parentElement;
      if (!node.data.trim() || !visible(parent) || parent.closest(NO_TEXT)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const { left, right, top, bottom, width, height } of range.getClientRects()) {
        if (width < 2 || height < 2) continue;
        const inset = height * 0.2;
        yield { parent, text: node.data.trim(), left: left + 1, right: right - 1, top: top + inset, bottom: bottom - inset };
      }
    }
  }

  /* What is left of it by the boxes that it is in. Names are shortened on purpose, with an ellipsis; and of the words
     about a side whole lines give way, the last ones first. */
  function* cut(word) {
    for (let box = word.parent; box && box !== document.documentElement; box = box.parentElement) {
      const style = getComputedStyle(box);
      const { left, right, top, bottom } = box.getBoundingClientRect();
      const shortened = style.textOverflow === "ellipsis" && style.display !== "inline"; // of which Firefox tells a width of 0
      if (shortened && box.scrollWidth > box.clientWidth + 1 && box.clientWidth < LEAST_PX) yield `${quoted(word)} has no room`;
      if (style.overflowX !== "visible") {
        if (!shortened && (word.left < left - 1 || word.right > right + 1)) yield `${quoted(word)} is cut off at the side by ${called(box)}`;
        [word.left, word.right] = [Math.max(word.left, left), Math.min(word.right, right)];
      }
      if (style.overflowY !== "visible") {
        const gone = word.top >= bottom - 1 && box.matches(GIVES_WAY);
        if (!gone && (word.top < top - 1 || word.bottom > bottom + 1)) yield `${quoted(word)} is cut off above or below by ${called(box)}`;
        [word.top, word.bottom] = [Math.max(word.top, top), Math.min(word.bottom, bottom)];
      }
      if (style.position === "fixed") return;
    }
  }

  function* outside(all) {
    for (const word of all) {
      const lost = word.left < -1 || word.right > innerWidth + 1 || (wall && (word.top < -1 || word.bottom > innerHeight + 1));
      if (lost) yield `${quoted(word)} is off the screen`;
    }
  }

  function* overlapping(all) {
    const still = all.filter((word) => !word.parent.closest(wall ? "#moment, #stray" : "#moment, #stray, footer"));
    for (const [index, one] of still.entries()) {
      for (const other of still.slice(index + 1)) {
        if (one.parent === other.parent) continue;
        const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
        const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
        if (wide > 2 && high > 2) yield `${quoted(one)} and ${quoted(other)} are over each other`;
      }
    }
  }

  const BOXES = ["header", "#warnings", "#hero", "#result", "#panel", ".who", ".score-box", ".visit", ".aim", "#sheet", "#hand", "#board",
    "#prompts", "#tap", "#sides", "footer"];
  function* boxesOver() {
    const boxes = BOXES.flatMap((name) => [...document.querySelectorAll(name)].map((element) => ({ name, element })))
      .filter(({ element }) => visible(element) && !(getComputedStyle(element).position === "fixed" && !wall))
      .map((each) => ({ ...each, box: each.element.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 1 && box.height > 1);
    for (const [index, { name, element, box }] of boxes.entries()) {
      if (wall && (box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1)) {
        yield `${name} reaches off the screen`;
      }
      for (const other of boxes.slice(index + 1)) {
        if (element.contains(other.element) || other.element.contains(element)) continue;
        const wide = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
        const high = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
        if (wide > 2 && high > 2) yield `${name} and ${other.name} are over each other by ${Math.round(wide)} × ${Math.round(high)} px`;
      }
    }
  }

  function* scrolling() {
    const { scrollWidth, scrollHeight } = document.documentElement;
    if (scrollWidth > innerWidth) yield `the page is ${scrollWidth} px wide`;
    if (wall && scrollHeight > innerHeight) yield `the page is ${scrollHeight} px high`;
    if (!wall) return;
    for (const element of document.querySelectorAll("main *, header *, footer *")) {
      if (!visible(element)) continue;
      const style = getComputedStyle(element);
      for (const [axis, most, room] of [["X", element.scrollWidth, element.clientWidth], ["Y", element.scrollHeight, element.clientHeight]]) {
        if (["auto", "scroll"].includes(style[`overflow${axis}`]) && most > room + 1) yield `${called(element)} scrolls: ${most} px in ${room}`;
      }
    }
  }

  function* small() {
    if (wall) return;
    for (const button of document.querySelectorAll("button:enabled, a[href], input, select")) {
      const { width, height } = button.getBoundingClientRect();
      if (visible(button) && !button.closest(".unseen") && (height < 43.5 || width < 24)) {
        yield `${called(button)} is ${Math.round(width)} × ${Math.round(height)} px: too small for a finger`;
      }
    }
  }

  const until = performance.now() + PATIENCE_MS;
  let found = [...lies()];
  while (found.length && performance.now() < until) {
    await frame();
    found = [...lies()];
  }
  await frame();
  await frame();
  const all = [...drawn()];
  found.push(...all.flatMap((word) => [...cut(word)]));
  const seen = all.filter((word) => word.right - word.left > 1 && word.bottom - word.top > 1);
  return [...new Set([...found, ...scrolling(), ...boxesOver(), ...outside(seen), ...overlapping(seen), ...small()])];
}
