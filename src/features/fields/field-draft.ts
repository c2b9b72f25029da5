import { type Field, type FieldOption, OPTION_COLORS } from '../../domain/fields.ts'
import type { FieldDraft } from './mutations.ts'

export const MOST_OPTIONS = 100

/** An option as the form has it. @property key Tells options apart, also new ones, which have no id. */
export type OptionForm = FieldDraft['options'][number] & { readonly key: string }

/** A field as its form has it. */
export type FieldForm = {
  readonly name: string
  readonly kind: Field['kind']
  readonly takesSeveral: boolean
  readonly options: readonly OptionForm[]
}

/** @param field Undefined for a new one. */
export const formOf = (field: Field | undefined): FieldForm => ({
  name: field?.name ?? '',
  kind: field?.kind ?? 'text',
  takesSeveral: field?.takes_several ?? false,
  options: (field?.options ?? []).map((option) => ({ ...option, key: option.id })),
})

/** Whether a document may have several values of a field. */
export const canTakeSeveral = (kind: Field['kind']): boolean => kind === 'person' || kind === 'choice'

/** What a form saves: an option without a name is none. */
export const draftOf = ({ name, kind, takesSeveral, options }: FieldForm, field: Field | undefined): FieldDraft => ({
  id: field?.id,
  name: name.trim(),
  kind,
  takes_several: takesSeveral && canTakeSeveral(kind),
  options: kind === 'choice' ? options.filter((option) => option.name.trim() !== '') : [],
})

/** The colours follow each other. */
export const withOption = (options: readonly OptionForm[]): readonly OptionForm[] => [
  ...options,
  {
    key: crypto.randomUUID(),
    name: '',
    color: OPTION_COLORS[options.length % OPTION_COLORS.length]?.value ?? 'slate',
  },
]

/** The options of a field that a form does not have any more: documents lose their values. */
export const goneOptions = (field: Field | undefined, options: readonly OptionForm[]): readonly FieldOption[] =>
  (field?.options ?? []).filter(({ id }) => !options.some((option) => option.id === id))
