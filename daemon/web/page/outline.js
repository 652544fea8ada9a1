/* Points inside outlines (lists of rings, even-odd): where a mark or a label goes. */

/** Returns the mean of points. @param {Oche.Ring} ring @returns {Oche.Point2} */
export function meanOf(ring) {
  const axis = (/** @type {0 | 1} */ which) => ring.reduce((sum, point) => sum + point[which], 0) / ring.length;
  return [axis(0), axis(1)];
}

/** Returns how far a point is from the border; negative outside. @param {Oche.Ring[]} outline @param {Oche.Point2} point */
export function clearance(outline, [x, y]) {
  let inside = false, near = Infinity;
  for (const ring of outline) {
    for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
      const [ax, ay] = ring[i], [bx, by] = ring[j];
      if ((ay > y) !== (by > y) && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
      const along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2 || 1);
      const t = Math.max(0, Math.min(1, along));
      near = Math.min(near, Math.hypot(x - ax - t * (bx - ax), y - ay - t * (by - ay)));
    }
  }
  return inside ? near : -near;
}

/** Returns the point with the most room around it, and that room: a grid, made finer four times.
    @param {Oche.Ring[]} outline */
export function findRoomiest(outline) {
  const [xs, ys] = [outline.flat().map(([x]) => x), outline.flat().map(([, y]) => y)];
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  /** @type {Oche.Point2} */
  let at = [(left + right) / 2, (low + high) / 2];
  let reach = [(right - left) / 2, (high - low) / 2];
  let best = -Infinity;
  for (let steps = 6, round = 0; round < 5; round++, steps = 2) {
    const [cx, cy] = at;
    for (let i = -steps; i <= steps; i++) {
      for (let j = -steps; j <= steps; j++) {
        /** @type {Oche.Point2} */
        const point = [cx + (i / steps) * reach[0], cy + (j / steps) * reach[1]];
        const found = clearance(outline, point) + point[1] * 1e-3;
        if (found > best) [best, at] = [found, point];
      }
    }
    reach = reach.map((each) => each / (steps * 0.8));
  }
  return { at, room: best - at[1] * 1e-3 };
}

/** Returns a point to put a mark on: the mean of the vertices where that is inside, else the heart.
    @param {Oche.Ring[]} outline */
export function findMiddle(outline) {
  const at = meanOf(outline[0]);
  return clearance(outline, at) > 0 ? at : findRoomiest(outline).at;
}
