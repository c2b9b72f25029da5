import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Input } from '../../components/input.tsx'
import { Select } from '../../components/select.tsx'
import { OPTION_COLORS } from '../../domain/fields.ts'
import { t, translated } from '../../lib/i18n/i18n.ts'
import { movedColumn } from './columns.ts'
import { MAX_OPTIONS, type OptionForm, withOption } from './field-draft.ts'

type OptionListProps = {
  options: readonly OptionForm[]
  onChange: (options: readonly OptionForm[]) => void
  children: ReactNode
}

export function OptionList({ options, onChange, children }: OptionListProps) {
  const change = (index: number, next: Partial<OptionForm>) =>
    onChange(options.map((option, at) => (at === index ? { ...option, ...next } : option)))
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 font-medium text-ink text-sm">{t('Options')}</legend>
      {options.map((option, index) => (
        <div key={option.key} className="flex items-center gap-1">
          <Input
            aria-label={t('Option {number}', { number: index + 1 })}
            column="field_options.name"
            pattern='[^"]*'
            title={t('1 to 60 characters, without quotation marks')}
            value={option.name}
            onChange={({ target }) => change(index, { name: target.value })}
            className="h-9 min-w-0 flex-1 px-3"
          />
          <Select
            id={option.key}
            value={option.color}
            options={translated(OPTION_COLORS)}
            onValue={(color) => change(index, { color })}
            aria-label={t('Colour of option {number}', { number: index + 1 })}
            className="h-9 w-28 px-3"
          />
          {([-1, 1] as const).map((by) => (
            <IconButton
              key={by}
              icon={by === -1 ? ArrowUp : ArrowDown}
              label={
                by === -1
                  ? t('Move option {number} up', { number: index + 1 })
                  : t('Move option {number} down', { number: index + 1 })
              }
              className="max-sm:hidden"
              disabled={index + by < 0 || index + by >= options.length}
              onClick={() => onChange(movedColumn(options, index, by))}
            />
          ))}
          <IconButton
            icon={X}
            label={t('Remove option {number}', { number: index + 1 })}
            onClick={() => onChange(options.toSpliced(index, 1))}
          />
        </div>
      ))}
      {options.length < MAX_OPTIONS ? (
        <div>
          <Button icon={Plus} size="small" onClick={() => onChange(withOption(options))}>
            {t('Add an option')}
          </Button>
        </div>
      ) : null}
      {children}
    </fieldset>
  )
}
