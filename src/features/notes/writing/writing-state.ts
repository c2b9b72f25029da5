/** States, events and effects of writing a note, from opening to closing; reduce-writing.ts has the transitions.
 *  Changes are numbered by this page, updates by the database. */

/** @property isMine Whether the person made it. Remote changes may not be stored yet: the person's changes may depend
 *  on them, so both are sent together. */
type Change = { number: number; update: Uint8Array; isMine: boolean }

/** Texts that can't be merged: the writers' and a version saved elsewhere. */
type Clash = { theirs: string; version: string }

/** A saved version. @property isPublished False while it awaits approval. */
export type SavedVersion = { id: string; body: string; isPublished: boolean }

/** `saved`: in a version. `kept`: in no version. `too-long`: too long for a version. */
export type Measure = 'saved' | 'kept' | 'too-long'

/** The result of reading from the database.
 *  @property newer A version that isn't in the history; `merged` is the text of both, if mergeable. */
export type ReadResult = {
  version: string | null
  lastUpdate: number
  isNews: boolean
  newer?: { version: string; text: string; merged: string | undefined } | undefined
}

/** Database requests, one at a time. Excludes sending, which may wait for the network. */
type Request = 'read' | 'merge' | 'save'

/** Saving a version: send own text, read the others', save the merged text.
 *  @property attempt How often others were first.
 *  @property isSent Whether everything written before saving is stored.
 *  @property isAgain Whether saving was requested again after more was written.
 *  @property isLast Whether the note is closed afterwards.
 *  @property decision The person's choice in a clash with this version. */
export type Saving = {
  attempt: number
  isSent: boolean
  isAgain: boolean
  isLast: boolean
  decision?: Decision | undefined
}
type Decision = { version: string; text: 'mine' | 'theirs' }

export type Open = {
  kind: 'open'
  /** The latest version in the history; null if it was deleted. */
  version: string | null
  lastUpdate: number
  /** Changes that may not be stored. */
  changes: readonly Change[]
  counted: number
  sent: number
  text: Measure
  isOnline: boolean
  hasWritten: boolean
  request?: Request | undefined
  isReadDue: boolean
  saving?: Saving | undefined
  clash?: Clash | undefined
  /** An outdated page only sends: it can't read the others' changes. */
  failure?: 'outdated' | { error: unknown } | undefined
}

export type State =
  | { kind: 'opening'; isOnline: boolean }
  | Open
  /** Another history was started: unsent text is moved there. */
  | { kind: 'moving'; isOnline: boolean; handOver: Send; isLeft: boolean }
  | { kind: 'ended'; why: 'left' }
  | { kind: 'ended'; why: 'failed'; error: unknown }
  /** The right to write has ended, and unsaved text is only on this page. */
  | { kind: 'ended'; why: 'refused'; isStored: boolean }

export type Timer = 'store' | 'read' | 'retry' | 'silence' | 'longest'
export type Failure = 'conflict' | 'moved' | 'outdated' | 'refused' | 'other'

export type Event =
  | { type: 'opened'; version: string | null; lastUpdate: number; unsent: readonly Uint8Array[]; text: Measure }
  | { type: 'typed' | 'heard'; update: Uint8Array }
  | { type: 'announced'; number: number }
  | { type: 'stored'; upTo: number; number: number; text: Measure }
  | { type: 'read'; found: ReadResult; text: Measure }
  | { type: 'merged'; version: string; number: number; text: Measure }
  | { type: 'saved'; version: SavedVersion }
  | { type: 'failed'; during: 'open' | 'send' | 'effect' | Request; why: Failure; error: unknown }
  | { type: 'asked'; to: 'read' | 'flush' | 'stop' }
  | { type: 'asked'; to: 'save' | 'leave'; text: Measure }
  | { type: 'decided'; text: 'mine' | 'theirs' }
  | { type: 'network'; isOnline: boolean }
  /** @property isFirst Whether this writer saves for all. */
  | { type: 'elapsed'; timer: Timer; isFirst: boolean }

/** Replaces the outbox's entry. `thenSave`: no one is left to save a version. */
export type Send = {
  type: 'send'
  version: string | null
  updates: readonly Uint8Array[]
  upTo: number
  thenSave: boolean
}

export type Effect =
  | { type: 'open' | 'refuse' | 'close' }
  | { type: 'tell'; update: Uint8Array }
  | { type: 'announce'; number: number }
  | Send
  | { type: 'read'; after: number }
  /** Makes `text` the text of both versions; undefined keeps the writers'. */
  | { type: 'merge'; from: string | null; to: string; text: string | undefined }
  | { type: 'save'; basedOn: string; lastUpdate: number }
  /** Before saving ends, so that the next reader sees the text. */
  | { type: 'publish'; version: SavedVersion }
  /** Whether the text is safe: saved, or offline in this browser. */
  | { type: 'answer'; isSafe: boolean }
  /** `again` restarts a running timer. */
  | { type: 'wait'; timer: Timer; ms: number; again?: true }

/** Whether the database may lack something that the person has written. */
export const isUnsent = ({ changes }: Open): boolean => changes.some(({ isMine }) => isMine)

/** The state of the text. `kept`: stored but in no version; `waiting`: only in this browser. */
export type Writing =
  | { step: 'saved' | 'writing' | 'kept' | 'waiting' | 'saving' | 'too-long' | 'outdated' }
  | { step: 'refused'; isStored: boolean }
  | { step: 'failed'; error: unknown }
  | ({ step: 'conflict' } & Clash)

/** @returns undefined if no text is open. */
export function writingOf(state: State): Writing | undefined {
  if (state.kind === 'ended' && state.why === 'refused') return { step: 'refused', isStored: state.isStored }
  if (state.kind !== 'open') return undefined
  const { failure, saving, clash, changes, sent, text, isOnline } = state
  if (failure) return failure === 'outdated' ? { step: 'outdated' } : { step: 'failed', error: failure.error }
  if (saving) return { step: 'saving' }
  if (clash) return { step: 'conflict', ...clash }
  if (!isUnsent(state)) return { step: text }
  return { step: !isOnline && changes.every(({ number }) => number <= sent) ? 'waiting' : 'writing' }
}
