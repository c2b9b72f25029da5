/** What writing in a note goes through, from opening it to leaving it: its states, what happens to it, and what is done then.
 *  reduce-writing.ts has the transitions. Changes have numbers of this page, updates those of the database. */

/** @property isMine Whether this person made it. What others told may not be stored: what this person does may continue it, and
 *  both are sent together. */
type Change = { number: number; update: Uint8Array; isMine: boolean }

/** Two texts that cannot be merged: what the writers have, and a version that was saved elsewhere. */
type Clash = { theirs: string; version: string }

/** A version of the note, as the database has it. @property isPublished False where it has to be approved before others see it. */
export type SavedVersion = { id: string; body: string; isPublished: boolean }

/** `saved`: a version has the text. `kept`: no version has it. `too-long`: none can have it. */
export type Measure = 'saved' | 'kept' | 'too-long'

/** What the database has, read into the text.
 *  @property newer A version that the history does not contain; `merged` is the text of both, where they can be merged. */
export type Found = {
  version: string | null
  lastUpdate: number
  /** Whether the text has changed by it. */
  isNews: boolean
  newer?: { version: string; text: string; merged: string | undefined } | undefined
}

/** Requests to the database, one at a time. Sending is none of them: it may wait for the network. */
type Request = 'read' | 'merge' | 'save'

/** Saving a version: what this person has written is sent, what others have written is read, and the text of both is saved.
 *  @property attempt How often others were first.
 *  @property isSent Whether all that had been written when saving began is in the database.
 *  @property isAgain Whether more was written before somebody asked again.
 *  @property isLast Whether the note is left afterwards.
 *  @property decision The text that the person has chosen where it clashes with this version. */
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
  /** The latest version that the history contains; null when it was deleted. */
  version: string | null
  lastUpdate: number
  /** What the database may not have. */
  changes: readonly Change[]
  counted: number
  /** The number of the last change that is on its way. */
  sent: number
  text: Measure
  isOnline: boolean
  /** Whether this person has changed the note since it was opened. */
  hasWritten: boolean
  request?: Request | undefined
  /** Whether something has happened since the request was made that calls for another reading. */
  isReadDue: boolean
  saving?: Saving | undefined
  clash?: Clash | undefined
  /** An outdated page only sends: it cannot read what the others write. */
  failure?: { isOutdated: boolean; error: unknown } | undefined
}

export type State =
  | { kind: 'opening'; isOnline: boolean }
  | Open
  /** Another history has begun: what was written goes there by its text. */
  | { kind: 'moving'; isOnline: boolean; handOver: Send; isLeft: boolean }
  | { kind: 'ended'; why: 'left' }
  | { kind: 'ended'; why: 'failed'; error: unknown }
  /** This person's rights have ended, and only this page has what is not stored. */
  | { kind: 'ended'; why: 'refused'; isStored: boolean }

export type Timer = 'store' | 'read' | 'retry' | 'silence' | 'longest'
export type Failure = 'conflict' | 'moved' | 'outdated' | 'refused' | 'other'

export type Event =
  | { type: 'opened'; version: string | null; lastUpdate: number; unsent: readonly Uint8Array[]; text: Measure }
  | { type: 'typed' | 'heard'; update: Uint8Array }
  /** Another writer has stored an update. */
  | { type: 'announced'; number: number }
  | { type: 'stored'; upTo: number; number: number; text: Measure }
  | { type: 'read'; found: Found; text: Measure }
  | { type: 'merged'; version: string; number: number; text: Measure }
  | { type: 'saved'; version: SavedVersion }
  | { type: 'failed'; during: 'open' | 'send' | 'effect' | Request; why: Failure; error: unknown }
  | { type: 'asked'; to: 'read' | 'flush' | 'stop' }
  | { type: 'asked'; to: 'save' | 'leave'; text: Measure }
  | { type: 'decided'; text: 'mine' | 'theirs' }
  | { type: 'network'; isOnline: boolean }
  /** @property isFirst Whether this writer saves for all. */
  | { type: 'elapsed'; timer: Timer; isFirst: boolean }

/** Gives changes to the outbox, in place of those that wait there. `thenSave`: nobody is left to save a version of them. */
export type Send = {
  type: 'send'
  version: string | null
  updates: readonly Uint8Array[]
  upTo: number
  thenSave: boolean
}

export type Effect =
  | { type: 'open' | 'refuse' | 'close' }
  /** Tells the others at once. */
  | { type: 'tell'; update: Uint8Array }
  | { type: 'announce'; number: number }
  | Send
  | { type: 'read'; after: number }
  /** Makes `text` the text of both versions; undefined for what the writers have. */
  | { type: 'merge'; from: string | null; to: string; text: string | undefined }
  | { type: 'save'; basedOn: string; lastUpdate: number }
  /** Called before saving ends: whoever reads next sees the text. */
  | { type: 'publish'; version: SavedVersion }
  /** Answers who asked to save: whether the text is safe, as a version or, without network, in this browser. */
  | { type: 'answer'; isSafe: boolean }
  /** `again`: a timer that runs starts over. */
  | { type: 'wait'; timer: Timer; ms: number; again?: true }

/** Whether the database may lack something that this person has written. */
export const isUnsent = ({ changes }: Open): boolean => changes.some(({ isMine }) => isMine)

/** What a person sees of the text. `kept`: the database has it, but no version; `waiting`: this browser has it. */
export type Writing =
  | { step: 'saved' | 'writing' | 'kept' | 'waiting' | 'saving' | 'too-long' | 'outdated' }
  | { step: 'refused'; isStored: boolean }
  | { step: 'failed'; error: unknown }
  | ({ step: 'conflict' } & Clash)

/** @returns undefined where no text is open. */
export function writingOf(state: State): Writing | undefined {
  if (state.kind === 'ended' && state.why === 'refused') return { step: 'refused', isStored: state.isStored }
  if (state.kind !== 'open') return undefined
  const { failure, saving, clash, changes, sent, text, isOnline } = state
  if (failure) return failure.isOutdated ? { step: 'outdated' } : { step: 'failed', error: failure.error }
  if (saving) return { step: 'saving' }
  if (clash) return { step: 'conflict', ...clash }
  if (!isUnsent(state)) return { step: text }
  return { step: !isOnline && changes.every(({ number }) => number <= sent) ? 'waiting' : 'writing' }
}
