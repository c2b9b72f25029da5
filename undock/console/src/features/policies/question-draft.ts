import { parseObject } from '../../lib/json-source.ts'
import type { Question } from './queries.ts'

/** The actions of a question. */
export const ACTIONS = [
  { kind: 'Rows of a table or view', actions: ['select', 'insert', 'update', 'delete'] },
  { kind: 'A file of Storage', actions: ['download', 'upload', 'remove'] },
  { kind: 'A topic of Realtime', actions: ['listen', 'send'] },
] as const

const indexOf = (action: string): number =>
  ACTIONS.findIndex(({ actions }) => (actions as readonly string[]).includes(action))

/** The label of an action's target, and an example. */
const TARGETS = [
  { label: 'Table or view', example: 'public.notes' },
  { label: 'Bucket and path', example: 'avatars/me.png' },
  { label: 'Topic', example: 'room:1' },
] as const

export type QuestionDraft = {
  readonly action: string
  readonly target: string
  readonly where: string
  readonly row: string
  readonly isReturning: boolean
}

export const draftOf = ({ action, target, where, row, returning }: Question): QuestionDraft => ({
  action: action ?? 'select',
  target: target ?? '',
  where: where ?? '',
  row: row ?? '',
  isReturning: returning === true,
})

/** Which parts a question about an action has.
 *  @property takesWhere Whether it's about some rows of a table. @property takesRow Whether it has a new or changed row's values.
 * @property canReturn Whether it can return changed rows. */
export function partsOf(action: string) {
  const kind = Math.max(0, indexOf(action))
  const isTable = kind === 0
  return {
    isTable,
    target: TARGETS[kind] ?? TARGETS[0],
    takesWhere: isTable && action !== 'insert',
    takesRow: ['insert', 'update', 'upload', 'send'].includes(action),
    canReturn: isTable && action !== 'select',
  }
}

/** Changes the action. A table's target and values don't apply to a file or topic. */
export const withAction = (draft: QuestionDraft, action: string): QuestionDraft =>
  indexOf(action) === indexOf(draft.action) ? { ...draft, action } : { ...draft, action, target: '', row: '' }

/** Returns a draft's question; null without a target. @throws {Error} if the values aren't a JSON object. */
export function questionOf(as: string, { action, target, where, row, isReturning }: QuestionDraft): Question | null {
  const { takesWhere, takesRow, canReturn } = partsOf(action)
  if (target.trim() === '') return null
  if (takesRow) parseObject(row)
  return {
    as,
    action,
    target: target.trim(),
    where: (takesWhere && where.trim()) || undefined,
    row: (takesRow && row.trim()) || undefined,
    returning: (canReturn && isReturning) || undefined,
  }
}
