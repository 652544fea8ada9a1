/* Points inside outlines (lists of rings, even-odd): where a mark or a label goes. */

/** The mean of points. */
export const mean = (ring) => [0, 1].map((axis) => ring.reduce((sum, point) => sum + point[axis], 0) / ring.length);

/** How far a point is from the border; negative outside. */
function clearance(outline, [x, y]) {
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

/** The point with the most room around it, and that room: a grid, made finer four times. */
export function heart(outline) {
  const points = outline.flat();
  const [low, high] = [Math.min, Math.max].map((most) => [0, 1].map((axis) => most(...points.map((p) => p[axis]))));
  let at = [0, 1].map((axis) => (low[axis] + high[axis]) / 2);
  let reach = [0, 1].map((axis) => (high[axis] - low[axis]) / 2);
  let best = -Infinity;
  for (let steps = 6, round = 0; round < 5; round++, steps = 2) {
    const [cx, cy] = at;
    for (let i = -steps; i <= steps; i++) {
      for (let j = -steps; j <= steps; j++) {
        const point = [cx + (i / steps) * reach[0], cy + (j / steps) * reach[1]];
        const found = clearance(outline, point) + point[1] * 1e-3;
        if (found > best) [best, at] = [found, point];
      }
    }
    reach = reach.map((each) => each / (steps * 0.8));
  }
  return { at, room: best - at[1] * 1e-3 };
}

/** A point to put a mark on: the mean of the vertices where that is inside, else the heart. */
export function middle(outline) {
  const at = mean(outline[0]);
  return clearance(outline, at) > 0 ? at : heart(outline).at;
}
