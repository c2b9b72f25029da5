import * as z from 'zod/mini'
import { t } from '../lib/i18n/i18n.ts'

/** A rule's change as logged: the name of a tag, collection or field, or the number of notified people. */
export const RuleChange = z.union([
  z.object({ do: z.enum(['tag', 'move', 'set']), name: z.string() }),
  z.object({ do: z.literal('tell'), count: z.number() }),
])
export type RuleChange = z.infer<typeof RuleChange>

/** Describes a change, to follow the rule's name. */
export function changeSentence(change: RuleChange): string {
  switch (change.do) {
    case 'tag':
      return t('tagged “{name}”', { name: change.name })
    case 'move':
      return t('moved to “{name}”', { name: change.name })
    case 'set':
      return t('set “{name}”', { name: change.name })
    case 'tell':
      return t('{count, plural, one {notified one person} other {notified # people}}', { count: change.count })
  }
}
