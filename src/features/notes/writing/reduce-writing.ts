/** State transitions of writing a note, without timers, network or documents, which are in run-writing.ts. */
import {
  type Effect,
  type Event,
  isUnsent,
  type Measure,
  type Open,
  type Saving,
  type Send,
  type State,
} from './writing-state.ts'

type Step<S extends State = State> = readonly [S, readonly Effect[]]

const STORE_AFTER = 600
/** Milliseconds. After others store updates, all are read from the database, because broadcasts may be lost. */
const READ_AFTER = 2_500
const RETRY_AFTER = 5_000
/** Milliseconds. A version is saved after a pause in typing, or regularly during continuous typing. */
const SILENCE = 30_000
const MAX_UNSAVED_MS = 300_000
const ATTEMPTS = 5

const SAVE_LATER: readonly Effect[] = [
  { type: 'wait', timer: 'silence', ms: SILENCE, again: true },
  { type: 'wait', timer: 'longest', ms: MAX_UNSAVED_MS },
]

export const begin = (isOnline: boolean): Step => [{ kind: 'opening', isOnline }, [{ type: 'open' }]]

export function reduce(state: State, event: Event): Step {
  if (event.type === 'network' && state.kind !== 'open' && state.kind !== 'ended')
    return [{ ...state, isOnline: event.isOnline }, []]
  switch (state.kind) {
    case 'opening':
      return whileOpening(state, event)
    case 'open':
      return whileOpen(state, event)
    case 'moving':
      return whileMoving(state, event)
    case 'ended':
      return [state, event.type === 'asked' && event.to === 'leave' ? [{ type: 'close' }] : []]
  }
}

function whileOpening(state: Extract<State, { kind: 'opening' }>, event: Event): Step {
  if (event.type === 'asked' && event.to === 'leave') return [{ kind: 'ended', why: 'left' }, [{ type: 'close' }]]
  if (event.type === 'failed') return [{ kind: 'ended', why: 'failed', error: event.error }, []]
  if (event.type !== 'opened') return [state, []]
  const { version, lastUpdate, unsent, text } = event
  return send({
    kind: 'open',
    version,
    lastUpdate,
    changes: unsent.map((update, index) => ({ number: index + 1, update, isMine: true })),
    counted: unsent.length,
    sent: 0,
    text,
    isOnline: state.isOnline,
    hasWritten: unsent.length > 0,
    isReadDue: false,
  })
}

function whileMoving(state: Extract<State, { kind: 'moving' }>, event: Event): Step {
  switch (event.type) {
    case 'stored':
      if (state.isLeft) return [{ kind: 'ended', why: 'left' }, [{ type: 'close' }]]
      return begin(state.isOnline)
    case 'failed':
      // Without the right to write, there is none in the other history either.
      if (event.why === 'refused') return [{ kind: 'ended', why: 'refused', isStored: false }, [{ type: 'refuse' }]]
      return [state, [{ type: 'wait', timer: 'retry', ms: RETRY_AFTER }]]
    case 'elapsed':
      return [state, event.timer === 'retry' ? [state.handOver] : []]
    case 'asked':
      return [{ ...state, isLeft: state.isLeft || event.to === 'leave' }, []]
    default:
      return [state, []]
  }
}

function whileOpen(state: Open, event: Event): Step {
  switch (event.type) {
    case 'opened':
      return [state, []]
    case 'typed': {
      const effects = [
        { type: 'tell', update: event.update },
        { type: 'wait', timer: 'store', ms: STORE_AFTER },
      ] as const
      const typed = { ...state, hasWritten: true, failure: outdated(state) }
      return [changed(typed, event.update, true), [...effects, ...SAVE_LATER]]
    }
    case 'heard':
      return [changed(state, event.update, false), SAVE_LATER]
    case 'announced':
      return [state, event.number > state.lastUpdate ? [{ type: 'wait', timer: 'read', ms: READ_AFTER }] : []]
    case 'stored': {
      const changes = state.changes.filter(({ number }) => number > event.upTo)
      const next = { ...state, changes, ...counted(state, event.number), failure: outdated(state) }
      return precededBy(proceed({ ...next, text: measured(state, event.text) }), {
        type: 'announce',
        number: event.number,
      })
    }
    case 'read':
      return afterReading(state, event)
    case 'merged': {
      const { version, number, text } = event
      const merged = { ...state, ...counted(state, number), version, text, request: undefined, clash: undefined }
      const next = { ...merged, hasWritten: true }
      return precededBy(next.saving ? saveVersion(next, next.saving) : readIfDue(next), { type: 'announce', number })
    }
    case 'saved': {
      const next = { ...state, version: event.version.id, request: undefined }
      const { saving } = state
      const again = saving?.isAgain && { ...saving, isAgain: false, isSent: false }
      return precededBy(again ? proceed({ ...next, saving: again }) : endSaving(next, true), {
        type: 'publish',
        version: event.version,
      })
    }
    case 'failed':
      return failed(state, event)
    case 'asked':
      switch (event.to) {
        case 'read':
          return read(state)
        case 'flush':
          return send(state)
        case 'stop':
          return refuse(state)
        case 'save':
          return save({ ...state, text: measured(state, event.text) })
        case 'leave':
          return leave({ ...state, text: measured(state, event.text) })
      }
      break
    case 'decided': {
      const { clash } = state
      return clash ? save(state, { decision: { version: clash.version, text: event.text } }) : [state, []]
    }
    case 'network': {
      const next = { ...state, isOnline: event.isOnline }
      if (!event.isOnline) return next.saving && !next.request ? endSaving(next, true) : [next, []]
      const [sent, effects] = send(next)
      return precededBy(read(sent), ...effects)
    }
    case 'elapsed':
      return elapsed(state, event)
  }
}

function elapsed(state: Open, { timer, isFirst }: Extract<Event, { type: 'elapsed' }>): Step {
  switch (timer) {
    case 'store':
      return send(state)
    case 'retry':
      return send({ ...state, failure: outdated(state) })
    case 'read':
      return read(state)
    case 'silence':
    case 'longest':
      if (state.text === 'saved' || !state.isOnline || state.saving || state.failure === 'outdated') return [state, []]
      return isFirst ? save(state) : [state, [{ type: 'wait', timer: 'silence', ms: SILENCE, again: true }]]
  }
}

function failed(open: Open, { during, why, error }: Extract<Event, { type: 'failed' }>): Step {
  const failure = why === 'outdated' ? why : { error }
  // Effects outside of requests leave them unchanged.
  if (during === 'effect') {
    return [{ ...open, failure }, [{ type: 'wait', timer: 'retry', ms: RETRY_AFTER }]]
  }
  if (why === 'refused') return refuse(open)
  if (why === 'moved' || (why === 'conflict' && during === 'send')) return move(open)
  const state: Open = during === 'send' ? { ...open, sent: 0 } : { ...open, request: undefined }
  if (during === 'save') state.text = 'kept'
  const { saving } = state
  if (why === 'conflict' && !saving) return [state, [{ type: 'wait', timer: 'read', ms: READ_AFTER }]]
  if (why === 'conflict' && saving && saving.attempt < ATTEMPTS)
    return read({ ...state, saving: { ...saving, attempt: saving.attempt + 1 } })
  const [ended, effects] = endSaving({ ...state, failure }, false)
  return [ended, [...effects, { type: 'wait', timer: 'retry', ms: RETRY_AFTER }]]
}

/** Handles a completed reading. If the person has already decided on the same version, it's no longer a clash. */
function afterReading(open: Open, { found, text }: Extract<Event, { type: 'read' }>): Step {
  const { version, newer, isNews } = found
  const lastUpdate = Math.max(open.lastUpdate, found.lastUpdate)
  const now = isNews ? text : measured(open, text)
  const state: Open = { ...open, version, lastUpdate, text: now, request: undefined, failure: outdated(open) }
  const later = isNews && now !== 'saved' ? SAVE_LATER : []
  const { saving } = state
  if (!newer) {
    const next = { ...state, clash: undefined }
    if (!saving) return followedBy(readIfDue(next), later)
    return followedBy(saving.isSent || !isUnsent(next) ? saveVersion(next, saving) : proceed(next), later)
  }
  const decided = saving?.decision?.version === newer.version ? saving.decision.text : undefined
  if (newer.merged === undefined && !decided) {
    const clash = { theirs: newer.text, version: newer.version }
    return followedBy(endSaving({ ...state, clash }, false), later)
  }
  const chosen = decided === 'theirs' ? newer.text : undefined
  const merge = { type: 'merge', from: version, to: newer.version, text: newer.merged ?? chosen } as const
  return [{ ...state, request: 'merge' }, [merge, ...later]]
}

function proceed(state: Open): Step {
  if (isUnsent(state) && !state.saving?.isSent) return send(state)
  const [sent, effects] = send(state)
  if (!sent.saving || sent.request) return [sent, effects]
  return precededBy(read({ ...sent, saving: { ...sent.saving, isSent: true } }), ...effects)
}

/** Sends everything unsent if no request is running. Text waiting for the network is sent again with what followed. */
function send(state: Open): Step<Open> {
  const { changes, sent } = state
  const last = changes.at(-1)
  const isOnItsWay = changes.some(({ number }) => number <= sent)
  if (!last || !changes.some(({ isMine, number }) => isMine && number > sent) || (isOnItsWay && state.isOnline))
    return [state, []]
  return [{ ...state, sent: last.number }, [sendAll(state, false)]]
}

const sendAll = ({ version, changes, counted }: Open, thenSave: boolean): Send => ({
  type: 'send',
  version,
  updates: changes.map(({ update }) => update),
  upTo: counted,
  thenSave,
})

/** Nothing can be read offline: that happens once online, and what should be saved is safe in this browser. */
function read(state: Open): Step {
  if (!state.isOnline || state.failure === 'outdated') return state.saving ? endSaving(state, true) : [state, []]
  if (state.request) return [{ ...state, isReadDue: true }, []]
  return [{ ...state, request: 'read', isReadDue: false }, [{ type: 'read', after: state.lastUpdate }]]
}

const readIfDue = (state: Open): Step => (state.isReadDue ? read(state) : [state, []])

function save(state: Open, more: Partial<Saving> = {}): Step {
  if (state.failure === 'outdated') return endSaving(state, true)
  if (state.text === 'too-long') return endSaving({ ...state, saving: undefined }, false)
  if (!state.isOnline) return followedBy(send(state), [{ type: 'answer', isSafe: true }])
  const isAgain = state.request === 'save' && state.text !== 'saved'
  const saving = { attempt: 0, isSent: false, isLast: false, ...more, isAgain }
  return proceed({ ...state, saving, failure: undefined })
}

/** The text has everything up to `lastUpdate`, and perhaps more. */
function saveVersion(state: Open, saving: Saving): Step {
  if (state.version === null) return endSaving(state, false)
  const { version, lastUpdate } = state
  const text = isUnsent(state) ? 'kept' : 'saved'
  return [{ ...state, text, saving, request: 'save' }, [{ type: 'save', basedOn: version, lastUpdate }]]
}

function endSaving(state: Open, isSafe: boolean): Step {
  const next = { ...state, saving: undefined }
  const effects: Effect[] = [{ type: 'answer', isSafe }]
  return precededBy(state.saving?.isLast ? end(next) : readIfDue(next), ...effects)
}

function leave(state: Open): Step {
  const isDirty = state.hasWritten && state.text !== 'saved'
  if (state.saving) return [{ ...state, saving: { ...state.saving, isLast: true, isAgain: isDirty } }, []]
  const canSave = isDirty && state.text !== 'too-long' && state.isOnline && state.failure !== 'outdated'
  return canSave ? save(state, { isLast: true }) : end(state)
}

function end(state: Open): Step {
  const thenSave = state.text !== 'too-long' && state.failure !== 'outdated'
  const last = isUnsent(state) ? [sendAll(state, thenSave)] : []
  return [{ kind: 'ended', why: 'left' }, [...last, { type: 'close' }]]
}

const refuse = (state: Open): Step => [
  { kind: 'ended', why: 'refused', isStored: !isUnsent(state) },
  [{ type: 'answer', isSafe: false }, { type: 'refuse' }],
]

function move(state: Open): Step {
  const { isOnline, saving } = state
  const isLeft = saving?.isLast ?? false
  const answer: Effect = { type: 'answer', isSafe: false }
  if (!isUnsent(state)) return precededBy(isLeft ? end(state) : begin(isOnline), answer)
  const handOver = sendAll(state, true)
  return [{ kind: 'moving', isOnline, handOver, isLeft }, [answer, handOver]]
}

const changed = (state: Open, update: Uint8Array, isMine: boolean): Open => ({
  ...state,
  text: state.text === 'too-long' ? 'too-long' : 'kept',
  counted: state.counted + 1,
  changes: [...state.changes, { number: state.counted + 1, update, isMine }],
})

/** A gap means that others have stored updates, which the next reading fetches. */
const counted = ({ lastUpdate }: Open, number: number) => ({
  lastUpdate: number === lastUpdate + 1 ? number : lastUpdate,
})

/** Saved text stays saved until it changes, even if the page doesn't know that version yet. */
const measured = (state: Open, text: Measure): Measure => (state.text === 'saved' ? 'saved' : text)

const outdated = ({ failure }: Open) => (failure === 'outdated' ? failure : undefined)

const precededBy = ([state, effects]: Step, ...first: readonly Effect[]): Step => [state, [...first, ...effects]]
const followedBy = ([state, effects]: Step, last: readonly Effect[]): Step => [state, [...effects, ...last]]
