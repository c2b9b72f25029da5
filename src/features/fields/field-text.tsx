import { Avatar } from '../../components/avatar.tsx'
import type { Person } from '../../domain/field-conditions.ts'
import { type Field, paintOf } from '../../domain/fields.ts'
import { formattingLocale, t } from '../../lib/i18n/i18n.ts'
import { classNames } from '../../lib/ui/class-names.ts'

type FieldTextProps = { field: Field; values: readonly (string | number)[]; people: readonly Person[] }

export function FieldText({ field, values, people }: FieldTextProps) {
  if (values.length === 0) return null
  if (field.kind === 'choice') {
    return (
      <span className="flex flex-wrap gap-1">
        {field.options
          .filter(({ id }) => values.includes(id))
          .map(({ id, name, color }) => (
            <span
              key={id}
              dir="auto"
              className={classNames('rounded-full px-2 py-0.5 font-medium text-xs', paintOf(color))}
            >
              {name}
            </span>
          ))}
      </span>
    )
  }
  if (field.kind === 'person') {
    return (
      <span className="flex flex-wrap gap-x-2.5 gap-y-1">
        {values.map((id) => {
          const name = people.find((person) => person.id === id)?.name ?? t('Former member')
          return (
            <span key={id} className="inline-flex items-center gap-1.5">
              <Avatar name={name} decorative className="size-5 text-[0.625rem]" />
              <bdi>{name}</bdi>
            </span>
          )
        })}
      </span>
    )
  }
  return (
    <span dir="auto" className={field.kind === 'text' ? 'line-clamp-2' : 'tabular-nums'}>
      {plainText(field, values, people)}
    </span>
  )
}

/** Returns the value as plain text, for names and sentences. */
export function plainText(field: Field, values: readonly (string | number)[], people: readonly Person[]): string {
  const named = (list: readonly Person[], missing: string) =>
    values.map((id) => list.find((one) => one.id === id)?.name ?? missing).join(', ')
  switch (field.kind) {
    case 'choice':
      return named(field.options, '…')
    case 'person':
      return named(people, t('Former member'))
    case 'number':
      return values
        .map((value) =>
          Number(value).toLocaleString(formattingLocale(), { maximumFractionDigits: 15, useGrouping: false }),
        )
        .join(', ')
    case 'date':
      return values.map((value) => dayText(String(value))).join(', ')
    case 'text':
      return values.join(', ')
  }
}

/** Formats a date without time zone conversion. */
const dayText = (day: string): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString(formattingLocale(), {
    timeZone: 'UTC',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
  })
