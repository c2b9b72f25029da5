import * as z from 'zod/mini'
import { t } from '../lib/i18n/i18n.ts'

/** What a rule did, as the activity has it: the name of a tag, a collection or a field, and how many people were told. */
export const RuleChange = z.union([
  z.object({ do: z.enum(['tag', 'move', 'set']), name: z.string() }),
  z.object({ do: z.literal('tell'), count: z.number() }),
])
export type RuleChange = z.infer<typeof RuleChange>

/** The end of a sentence that begins with the rule. */
export function changeSentence(change: RuleChange): string {
  switch (change.do) {
    case 'tag':
      return t('tagged “{name}”', { name: change.name })
    case 'move':
      return t('moved to “{name}”', { name: change.name })
    case 'set':
      return t('set “{name}”', { name: change.name })
    case 'tell':
      return t('{count, plural, one {told one person} other {told # people}}', { count: change.count })
  }
}
