/* The types of the page's scripts that no schema has; those of what the daemon tells are generated: see check.sh. */

import type { Board } from "../../../daemon/web/page/board.js";
import type { badges } from "../../../daemon/web/page/words/badges_en.js";
import type { bracket } from "../../../daemon/web/page/words/bracket_en.js";
import type { art } from "../../../daemon/web/page/words/art_en.js";
import type { camera } from "../../../daemon/web/page/words/camera_en.js";
import type { idle } from "../../../daemon/web/page/words/idle_en.js";
import type { result } from "../../../daemon/web/page/words/result_en.js";
import type { players } from "../../../daemon/web/page/words/players_en.js";
import type { rivals } from "../../../daemon/web/page/words/rivals_en.js";
import type { season } from "../../../daemon/web/page/words/season_en.js";
import type { scenes } from "../../../daemon/web/page/words/scenes_en.js";
import type { sensed } from "../../../daemon/web/page/words/sensed_en.js";
import type { settings } from "../../../daemon/web/page/words/settings_en.js";
import type { stream } from "../../../daemon/web/page/words/stream_en.js";
import type { takeHome } from "../../../daemon/web/page/words/take_home_en.js";
import type { statistics } from "../../../daemon/web/page/words/statistics_en.js";
import type { tournament } from "../../../daemon/web/page/words/tournament_en.js";
import type { twoPlaces } from "../../../daemon/web/page/words/two_places_en.js";
import type { wholeLeague } from "../../../daemon/web/page/words/whole_league_en.js";
import type { history, words } from "../../../daemon/web/page/words/words_en.js";

declare global {
  /** Loads the page anew once the daemon is there: see renew.js. A proxy may have kept it out. */
  var renew: (() => Promise<void>) | undefined;

  namespace Oche {
    /** A key of any type of a union, and what it holds where it is there. */
    type Merged<U> = { [K in U extends U ? keyof U : never]?: U extends { [key in K]?: infer V } ? V : never };

    /** What happened, of any type. The page adds the names of the winners, and whether they won but the right to begin. */
    type Fact = Merged<Event> & { event_type: Event["event_type"]; names?: string[]; isOrder?: boolean; isAlone?: boolean; isSteel?: boolean };

    /** What shows moments as scenes, where a wall has that: `play` returns whether it does. */
    interface Stage { play(facts: Fact[], greatest: Fact, state: State): boolean; end(): void }

    /** Tenths of a millimetre from the middle of the face, y up. */
    type Point2 = [x: number, y: number];
    type Ring = Point2[];

    interface Segment { id: string; points: number; groups: string[]; outline: Ring[] }
    interface Layout { face: string | null; name: string; dartboard: string | null; radius: number; miss: string; segments: Segment[] }
    interface TableInfo { table: string; name: string; tap: boolean; role: Role; lacks_board?: true }
    type Role = "setup" | "play" | "look";
    interface FreeSeat { seat: number; player: string; url: string; qr: QrCode; local: boolean }
    interface BoardStatus { state: string; sensor: boolean; text_said: Sentence; stuck: string[]; trouble_said: Sentence | null; remedy?: "start" | "reset" }
    interface Reading { reading?: { done: number; of: number } }
    interface Answer { line: number; phase: string }
    /** A sentence in English, and what other languages make theirs of, where they have it. */
    interface Sentence { text: string; key?: string; values?: Record<string, any> }
    interface Failure { code: string; message: string; key?: string; values?: Record<string, any> }

    /** By what the sides and the players of a match that is put together are known again. */
    interface Marks { by_side: string[]; by_player: number[] }

    /** A game that can be chosen in the lobby. */
    interface Offer {
      name: string; game: string; group: string; tile: number; title: string; line: string; button: HTMLInputElement; element: HTMLElement;
    }

    /** A dart that was tapped: where, or what. */
    type Tap = { x: number; y: number; segment?: string } | { x?: undefined; y?: undefined; segment: string };

    /** The properties of an element to be made, and its name for tests. */
    type Props<Tag extends keyof HTMLElementTagNameMap> = Partial<HTMLElementTagNameMap[Tag]> & { test?: string };

    /** A language file: texts, and functions that make texts. */
    interface Texts { [key: string]: string | string[] | ((...values: any[]) => string) | Texts }

    /** Words by identifiers that come from the daemon, of which a language names as many as it likes. */
    type Named = Record<"beds" | "fixed" | "groups" | "halves" | "labels" | "names" | "pub" | "ranks" | "rings" | "rows" | "shorts" | "suits", Record<string, string>>;
    type Said = Record<"told", Record<string, (...values: any[]) => string>>;
    type Language = Omit<typeof words, keyof Named | "told"> & Named & Said;
    type HistoryLanguage = typeof history;
    type Shortly = (value: any, isDeep?: boolean) => string;

    /** A short text, or a label and its value. */
    type Short = string | [label: string, value: string | number];

    type BadgesLanguage = typeof badges;
    type BracketLanguage = typeof bracket;
    type PlayersLanguage = typeof players;
    type ArtLanguage = typeof art;
    type CameraLanguage = typeof camera;
    type IdleLanguage = typeof idle;
    type TwoPlacesLanguage = typeof twoPlaces;
    type RivalsLanguage = typeof rivals;
    type SeasonLanguage = typeof season;
    type WholeLeagueLanguage = typeof wholeLeague;
    type ResultLanguage = typeof result;
    type ScenesLanguage = typeof scenes;
    /** Those, and what badges are called. */
    type SceneTexts = ScenesLanguage & { named: Record<string, string[]>; tiers: string[] };
    type StatisticsLanguage = typeof statistics;
    type TakeHomeLanguage = typeof takeHome;
    interface HourCode { url: string; qr: QrCode; local: boolean; until: string }
    type TournamentLanguage = typeof tournament;
    type TournamentInput = TournamentLine["input"];
    type SensedLanguage = typeof sensed;
    type StreamLanguage = typeof stream;
    type SettingsLanguage = Omit<typeof settings, "help"> & { help: Record<string, string> };

    /** A value of the configuration: `path` without the numbers of lists, `test` with them. */
    interface SettingsPlace { key: string; path: string; test: string; label: string; names?(path: string): (() => string[]) | undefined }
    interface SettingsInput { element: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement; more: HTMLElement[]; read(): any; usual?: string; show?(value: any): string; refresh?(): void }
    interface SettingsField { key: string; element: HTMLElement; fields?: SettingsField[]; read(): any; isChanged(): boolean; differences(): Omit<Difference, "where">[]; write(value: string): void; say(sentence: string): void; focus(): void; refresh?(): void }
    interface SettingsGame {
      json: SettingsField; game: SettingsField; usual: string; written: Record<string, any> | undefined;
      call(path: string, body?: object): Promise<{ status: number; answer: any }>;
    }
    /** What will be written; `was` is empty for what is new, removed or secret. */
    interface Difference { where: string; label: string; was: string; now: string }
    interface SettingsForm { written: Record<string, any>; cards: Map<string, SettingsCard[]>; single: Map<string, SettingsField[]>; password: string }
    type Door = "board" | "players" | "phones" | "home";
    /** Something that is still to do: `byHand` is what is so once a person says that it is done. */
    interface DoorItem { id: string; said: string; byHand?: string }
    interface DoorState { works: string[]; todo: DoorItem[] }
    interface DoorFacts {
      settings: Settings; tables: TableInfo[]; players: KnownPlayer[]; broker: string; announced: AnnouncedEntities | null; codes: JoinCodes | null; boards: Map<string, BoardStatus>;
    }
    /** `fields` is empty until `fill` makes them; `values` is what is written. */
    interface SettingsCard { index?: number; name: string; values: Record<string, any>; fields: SettingsField[]; fill(): void; say(sentence: string): void; focus(): void }
    interface LightTools {
      card: number; fields: SettingsField[]; makeBody(): object | null; showRefusal(error: any): void; namesOfOthers(): string[];
    }
    interface SettingsChange { path: (string | number)[]; value: any }
    interface DoctorCheck extends Sentence { name: string; verdict: "ok" | "warning" | "problem"; remedy: string; remedy_said?: Sentence; commands: string[]; repair: string | null }
    interface PluginStatus { name: string; where: string; reason: Sentence | null }
    /** Keys of a sound pack, of which the first that there is counts. */
    interface CallStep { isOptional: boolean; keys: string[] }
    type KeyValues = Record<string, string | number | string[] | undefined>;
    /** Something to say: by recordings, in the first of these ways that there is, or else as this text. `files` are the recordings of its steps, of each the first that can be played; `number` is that of its visit, `name` who is named in the text. */
    interface Call extends Omit<Partial<SpeechItem>, "kind"> { kind: SpeechItem["kind"] | "ambience"; text: string; ways?: CallStep[][]; number?: number; name?: string; files?: string[][] | null }
    interface PackSummary { pack: string; version: number; files: number; bytes: number; installed: boolean }
    interface UnreadablePack { pack: string; installed: boolean; why: Sentence }
    interface MadeToken { role: "play" | "setup"; token: string; url: string; qr: QrCode }

    interface AnnouncedEntities {
      devices: { name: string; entities: { name: string; platform: string }[] }[]; home_assistant: "online" | "unread" | "unknown";
    }

    /** One of those that GET /api/care/watch returns. */
    interface WatchedEvent { ms: number; event: { hit?: string; button?: string; miss?: boolean; garbage?: string }; fate: keyof typeof settings.care.fates; why?: Sentence }

    interface CareTools {
      call(path: string, body?: object): Promise<{ status: number; answer: any }>; restart(): Promise<string>;
      restore(restore: string, parts: string[]): Promise<string>; repair(what: string): { label: string; run(): void } | null;
    }
    /** What POST /api/care/restore returns. */
    interface StagedBackup {
      restore: string; at: string; oche: string; matches: Record<string, number>; matches_now: Record<string, number>; beside: string[]; config_trouble: Sentence | null; aside: string;
    }

    interface FoundBoard {
      address: string; what: string; fits: { profile: string; sure: "sure" | "likely" | "possible" }[]; table: string | null;
      /** Of cameras: whether they see darts, and whether the board lets in only those with its token. */
      state?: "running" | "stopped" | "silent" | null; wants_token?: boolean;
    }
    interface FindTools {
      call(path: string, body?: object): Promise<{ status: number; answer: any }>;
      card: number; choose(board: string, profile: string | null, token?: string): void;
      /** In the guide, which has no list to close; "" is a board that is not listed. */
      learn?(address: string, profile?: string): void;
      /** Learns a board whose trial has lit the wrong bed; left out, as `learn`. */
      learnTried?(address: string, profile?: string): void;
    }

    interface LearnTools {
      call(path: string, body?: object, signal?: AbortSignal): Promise<{ status: number; answer: any }>;
      tables(): { board: string; name: string }[]; profiles(): string[];
      use(index: number, board: string, profile: string): Promise<void>;
      /** The board that was tried out last, if one was, and with which profile. */
      tried?(): { address?: string; profile?: string };
    }
    /** What GET /api/learn returns. */
    interface Learning {
      run: number; version: number; state: "idle" | "asking" | "trying"; trouble_said: Sentence | null;
      saved?: { profile: string; name: string; board: string } | null; kept?: { name: string; board: string; presses: number } | null; name?: string;
      online?: boolean; press?: { segment: string; place: string; number: number; about: number; again: boolean } | null;
      heard?: [press: string, contact: string | null][]; notes?: Sentence[]; tried?: string[];
      finding?: { mat: string | null; turn: number; mirror: boolean; odd: string[]; missing: string[]; segments: number };
    }

    /** What GET /api/settings returns. */
    interface Settings {
      run: string; oche: string; has_news: boolean; file: string; version: string; trouble: Sentence | null; notice: Sentence | null; can_revert: boolean; runs_with_file: boolean;
      needs_token: boolean; plugins: PluginStatus[]; written: Record<string, any>; form: any; choices: Record<string, string[]>;
      boards: KnownBoard[];
    }
    /** A kind of board that there is a profile for. */
    interface KnownBoard {
      profile: string; name: string; brands: string[]; link: "serial" | "usb" | "ble" | "tcp" | "web"; is_cloud: boolean; wants_token: boolean;
    }

    /** What the page was told: see store.js. */
    interface Store {
      place: string;
      table: string;
      seat: number | null;
      isTapped: boolean;
      isAway: boolean;
      isByHand: boolean;
      role: Role;
      link: "connecting" | "live" | "lost" | "gone";
      boardStatus: BoardStatus | null;
      broker: string;
      state: State | null;
      plan: Plan | null;
      board: Board | null;
      face: Face;
      moves: Map<string, string>;
      waiting: Set<Tap>;
      places: Map<number, Tap>;
      isSending: boolean;
      choices: Record<string, string>;
      /** The tournament that this table plays in, the round of its match there, and what starts it. */
      tournament?: { id: string; round: string; start: string } | null;
      /** That this table is asked to play along at another one, or plays along there, and the match there. */
      lent?: { asked?: string; to?: string; linked?: boolean; waiting?: number; state?: State } | null;
    }

    /** What a game's own face adds: see faces.js. */
    interface Face {
      shape?: "wide" | "table" | "low" | "whole";
      callsNoScore?: boolean;
      noPoints?: boolean;
      isDuel?: boolean;
      panel?(element: HTMLElement, state: State, board: Board): void;
      sheet?(element: HTMLElement, state: State): void;
      hand?(element: HTMLElement, state: State): void;
      map?(state: State, board: Board): void;
      facts?(state: State, index: number): Short[];
      danger?(state: State, index: number): number | null;
      hero?(state: State): string | null;
      caption?(state: State): string | null;
      points?(state: State, index: number): string | null;
      unit?(state: State, index: number): string | null;
      sum?(state: State): string;
      sumLast?(state: State): string | null;
      note?(dart: Dart, state: State, board: Board): string | number;
      aims?(state: State): string[];
      option?(text: string, state: State): (string | Element)[];
      worth?(value: number): string;
      takes?(prompt: Prompt): boolean;
      touched?(state: State, id: string): { prompt: Prompt; option?: string; from?: string } | null;
    }

    /** The elements whose text or label never changes. */
    type FixedId = Exclude<keyof Elements, "lobby" | "join-dialog" | "menu-dialog" | "rules-dialog" | "player">;

    interface Elements {
      lobby: HTMLDialogElement | null;
      "join-dialog": HTMLDialogElement | null;
      "menu-dialog": HTMLDialogElement | null;
      "rules-dialog": HTMLDialogElement | null;
    }
  }
}
