import type { Principal } from '../kernel/service.ts'
import type { TraceContext } from '../kernel/tracer.ts'
import type { RecordedBody } from './bodies.ts'
import type { Span } from './records.ts'

/** A recorded request: what readers need is computed when read. One object and few strings each, because retained objects cost the garbage
 *  collector more than the request itself. */
export type Draft = {
  readonly id: string
  readonly service: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly began: number
  readonly trace: TraceContext | null
  readonly parent: string | null
  readonly spans: Span[]
  /** Milliseconds after the response in which work, such as a timer, still belongs to the request. */
  readonly afterwards: number
  status: number
  duration: number
  caller: Principal | null
  droppedSpans: number
  size: number
  requestBody: RecordedBody | null
  responseBody: RecordedBody | null
}

/** What's known about a request on arrival. */
type DraftOrigin = Pick<
  Draft,
  'id' | 'service' | 'method' | 'path' | 'headers' | 'began' | 'trace' | 'parent' | 'afterwards'
>

export type RingLimits = {
  /** Requests. */
  readonly requests: number
  /** The total number of characters in all texts. */
  readonly characters: number
}

/** The newest requests, in order of arrival. */
export type Ring = {
  readonly kept: ReadonlyMap<string, Draft>
  /** Counts a request; false in a second with too many to be read before they push each other out. */
  admit(): boolean
  open(known: DraftOrigin): Draft
  addSpan(draft: Draft, span: Span): void
  /** Counts more of a request's characters. */
  grow(draft: Draft, characters: number): void
}

const SPANS_OF_REQUEST = 200
/** The minimum number of successful requests recorded per second. */
const ADMITTED = 1_000
/** The characters counted for a request without texts. */
const RECORD_SIZE = 500

export function createRing(limits: RingLimits): Ring {
  const drafts = new Map<string, Draft>()
  let characters = 0
  let second = 0
  let admitted = 0

  function grow(draft: Draft, by: number): void {
    draft.size += by
    characters += by
    if (drafts.size <= limits.requests && characters <= limits.characters) return
    for (const [id, oldest] of drafts) {
      drafts.delete(id)
      characters -= oldest.size
      if (drafts.size <= limits.requests && characters <= limits.characters) return
    }
  }

  return {
    kept: drafts,
    admit() {
      const now = Math.floor(Date.now() / 1_000)
      if (now !== second) admitted = 0
      second = now
      return admitted++ < Math.max(ADMITTED, limits.requests)
    },
    open(known) {
      const draft: Draft = {
        ...known,
        time: Date.now(),
        spans: [],
        status: 0,
        duration: 0,
        caller: null,
        droppedSpans: 0,
        size: 0,
        requestBody: null,
        responseBody: null,
      }
      drafts.set(draft.id, draft)
      grow(draft, draft.path.length + RECORD_SIZE)
      return draft
    },
    addSpan(draft, span) {
      if (!drafts.has(draft.id) || span.start > draft.duration + draft.afterwards) return
      if (draft.spans.length >= SPANS_OF_REQUEST) {
        draft.droppedSpans++
        return
      }
      draft.spans.push(span)
      grow(draft, sizeOf(span))
    },
    grow(draft, by) {
      if (drafts.has(draft.id)) grow(draft, by)
    },
  }
}

function sizeOf(span: Span): number {
  if (span.kind === 'delivery') return 300 + span.withheld.length * 60
  if (span.kind !== 'sql') return 300
  return span.statements.reduce((sum, { text, parameters }) => sum + text.length + parameters.length * 20, 100)
}
