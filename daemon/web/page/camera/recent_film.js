/* The latest seconds of a camera, as a film that plays by itself. A film can only be cut at its end, so two takes run at the same
   time, each begun when the other is half as long as is kept. Only the camera's own news is the clock here: browsers slow down
   the timers of a window that is behind another one. */

const NEWS_MS = 500; // between two pieces of a take
const KEPT_MS = 8_000;
const RENEW_MS = KEPT_MS / 2;
const AFTER_MS = 1_500; // of the moment, which is known only once the dart has landed
const BITS_PER_SECOND = 1_500_000;
const TYPES = ["video/webm;codecs=vp8", "video/webm", "video/mp4"];
const STILL_PX = 1280;
const MOST_STILL_BYTES = 200_000;
const [BEST, WORST, STEP] = [0.85, 0.3, 0.15]; // of a JPEG

/** @typedef {{ recorder: MediaRecorder, pieces: Blob[], began: number }} Take */

export class RecentFilm {
  /** @param {MediaStream} stream */
  constructor(stream) {
    this.stream = stream;
    this.type = TYPES.find((each) => MediaRecorder.isTypeSupported(each)) ?? "";
    /** The oldest first. @type {Take[]} */
    this.takes = [];
    /** The film that is on its way, and since when. @type {{ since: number, film: Promise<Blob>, done: (film: Blob) => void } | null} */
    this.wanted = null;
    this.beginTake();
  }

  beginTake() {
    const recorder = new MediaRecorder(this.stream, { ...(this.type && { mimeType: this.type }), videoBitsPerSecond: BITS_PER_SECOND });
    /** @type {Take} */
    const take = { recorder, pieces: [], began: performance.now() };
    recorder.ondataavailable = ({ data }) => {
      if (data.size) take.pieces.push(data);
      if (this.takes.includes(take)) this.goOn();
    };
    recorder.start(NEWS_MS);
    this.takes.push(take);
  }

  /** Begins and drops takes as time goes on, and ends the oldest for who waits for it. */
  goOn() {
    const now = performance.now(), { wanted } = this;
    if (wanted && now - wanted.since >= AFTER_MS) {
      this.wanted = null;
      this.drop(wanted.done);
    }
    if (!this.takes.length || now - this.takes[this.takes.length - 1].began >= RENEW_MS) this.beginTake();
    if (!this.wanted && now - this.takes[0].began >= KEPT_MS) this.drop();
  }

  /** Ends the oldest take. @param {(film: Blob) => void} [done] is given it */
  drop(done) {
    const take = this.takes.shift();
    if (!take) return;
    const { pieces, recorder } = take;
    recorder.onstop = () => done?.(new Blob(pieces, { type: recorder.mimeType }));
    recorder.stop();
  }

  /** Resolves with a film of the latest seconds and what follows at once. One that is on its way shows this moment, too. */
  cut() {
    if (!this.wanted) {
      /** @type {(film: Blob) => void} */
      let done = () => {};
      const film = /** @type {Promise<Blob>} */ (new Promise((resolve) => { done = resolve; }));
      this.wanted = { since: performance.now(), film, done };
    }
    return this.wanted.film;
  }

  /** Forgets all that was recorded. */
  end() {
    while (this.takes.length) this.drop();
  }
}

/** Returns what a camera shows now, as a JPEG; null where the browser makes none so small. @param {HTMLVideoElement} video */
export async function takeStill(video) {
  const scale = Math.min(1, STILL_PX / Math.max(video.videoWidth, video.videoHeight, 1));
  const canvas = new OffscreenCanvas(Math.max(1, Math.round(video.videoWidth * scale)), Math.max(1, Math.round(video.videoHeight * scale)));
  canvas.getContext("2d")?.drawImage(video, 0, 0, canvas.width, canvas.height);
  for (let quality = BEST; quality >= WORST; quality -= STEP) {
    const still = await canvas.convertToBlob({ type: "image/jpeg", quality });
    if (still.size <= MOST_STILL_BYTES) return still;
  }
  return null;
}
