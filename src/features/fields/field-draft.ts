import { type Field, type FieldOption, OPTION_COLORS } from '../../domain/fields.ts'
import type { FieldDraft } from './mutations.ts'

export const MAX_OPTIONS = 100

/** @property key Identifies options, including new ones without an id. */
export type OptionForm = FieldDraft['options'][number] & { readonly key: string }

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

export const canTakeSeveral = (kind: Field['kind']): boolean => kind === 'person' || kind === 'choice'

/** Converts a form for saving, without unnamed options. */
export const draftOf = ({ name, kind, takesSeveral, options }: FieldForm, field: Field | undefined): FieldDraft => ({
  id: field?.id,
  name: name.trim(),
  kind,
  takes_several: takesSeveral && canTakeSeveral(kind),
  options: kind === 'choice' ? options.filter((option) => option.name.trim() !== '') : [],
})

export const withOption = (options: readonly OptionForm[]): readonly OptionForm[] => [
  ...options,
  {
    key: crypto.randomUUID(),
    name: '',
    color: OPTION_COLORS[options.length % OPTION_COLORS.length]?.value ?? 'slate',
  },
]

export const removedOptions = (field: Field | undefined, options: readonly OptionForm[]): readonly FieldOption[] =>
  (field?.options ?? []).filter(({ id }) => !options.some((option) => option.id === id))
