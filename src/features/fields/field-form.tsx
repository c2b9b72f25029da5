import { useMutation, useQuery } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { LabelledCheckbox } from '../../components/checkbox.tsx'
import { Field as Labelled } from '../../components/field.tsx'
import { Input } from '../../components/input.tsx'
import { Notice } from '../../components/notice.tsx'
import { Select } from '../../components/select.tsx'
import { failureText } from '../../domain/failure.ts'
import { FIELD_KINDS, type Field, OPTION_COLORS } from '../../domain/fields.ts'
import { keys } from '../../domain/keys.ts'
import { t, translated } from '../../lib/i18n/i18n.ts'
import { movedColumn } from './columns.ts'
import { type FieldDraft, saveField } from './mutations.ts'
import { countValues, kindLabel } from './queries.ts'

type FieldFormProps = {
  library: string
  collection: string
  /** Undefined for a new one. */
  field: Field | undefined
  onDone: () => void
}

type Option = FieldDraft['options'][number] & { key: string }

const MOST_OPTIONS = 100

/** A field's name, what it holds, and the options of a choice. What it holds is settled when it is made. */
export function FieldForm({ library, collection, field, onDone }: FieldFormProps) {
  const [name, setName] = useState(field?.name ?? '')
  const [kind, setKind] = useState(field?.kind ?? 'text')
  const [takesSeveral, setTakesSeveral] = useState(field?.takes_several ?? false)
  const [options, setOptions] = useState<readonly Option[]>(() =>
    (field?.options ?? []).map((option) => ({ ...option, key: option.id })),
  )
  const saving = useMutation({ ...saveField, onSuccess: onDone })
  const gone = (field?.options ?? []).filter(({ id }) => !options.some((option) => option.id === id))
  const lost = useQuery({
    queryKey: [...keys.fields(library), 'lost', gone.map(({ id }) => id)],
    queryFn: async () => {
      const counts = await Promise.all(gone.map(({ id }) => countValues('option_id', id)))
      return counts.reduce((sum, count) => sum + count, 0)
    },
    enabled: gone.length > 0,
  })
  const change = (key: string, next: Partial<Option>) =>
    setOptions(options.map((option) => (option.key === key ? { ...option, ...next } : option)))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    saving.mutate({
      library,
      collection,
      field: {
        id: field?.id,
        name: name.trim(),
        kind,
        takes_several: takesSeveral && (kind === 'person' || kind === 'choice'),
        options: kind === 'choice' ? options.filter((option) => option.name.trim() !== '') : [],
      },
    })
  }
  return (
    <form onSubmit={submit} className="grid gap-5">
      <Labelled label={t('Name')} error={saving.error ? failureText(saving.error) : undefined}>
        {(control) => (
          <Input
            {...control}
            required
            maxLength={60}
            pattern='[^"]*[^"\s][^"]*'
            title={t('1 to 60 characters, without quotation marks')}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Labelled>
      {field ? (
        <p className="text-ink-soft text-sm">
          {t('It holds: {kind}. What a field holds cannot be changed.', { kind: t(kindLabel(kind)) })}
        </p>
      ) : (
        <Labelled label={t('What it holds')}>
          {(control) => <Select {...control} value={kind} options={translated(FIELD_KINDS)} onValue={setKind} />}
        </Labelled>
      )}
      {!field && (kind === 'person' || kind === 'choice') ? (
        <LabelledCheckbox checked={takesSeveral} onChange={setTakesSeveral}>
          {t('A document may have several')}
        </LabelledCheckbox>
      ) : null}
      {kind === 'choice' ? (
        <fieldset className="grid gap-2">
          <legend className="mb-1.5 font-medium text-ink text-sm">{t('Options')}</legend>
          {options.map((option, index) => (
            <div key={option.key} className="flex items-center gap-1">
              <Input
                aria-label={t('Option {number}', { number: index + 1 })}
                maxLength={60}
                pattern='[^"]*'
                title={t('1 to 60 characters, without quotation marks')}
                value={option.name}
                onChange={(event) => change(option.key, { name: event.target.value })}
                className="h-9 min-w-0 flex-1 px-3"
              />
              <Select
                id={option.key}
                value={option.color}
                options={translated(OPTION_COLORS)}
                onValue={(color) => change(option.key, { color })}
                aria-label={t('Colour of option {number}', { number: index + 1 })}
                className="h-9 w-28 px-3"
              />
              {([-1, 1] as const).map((by) => (
                <Button
                  key={by}
                  look="quiet"
                  size="small-icon"
                  className="max-sm:hidden"
                  disabled={index + by < 0 || index + by >= options.length}
                  aria-label={
                    by === -1
                      ? t('Move option {number} up', { number: index + 1 })
                      : t('Move option {number} down', { number: index + 1 })
                  }
                  onClick={() => setOptions(movedColumn(options, index, by))}
                >
                  {by === -1 ? <ArrowUp aria-hidden /> : <ArrowDown aria-hidden />}
                </Button>
              ))}
              <Button
                look="quiet"
                size="small-icon"
                aria-label={t('Remove option {number}', { number: index + 1 })}
                onClick={() => setOptions(options.filter(({ key }) => key !== option.key))}
              >
                <X aria-hidden />
              </Button>
            </div>
          ))}
          {options.length < MOST_OPTIONS ? (
            <div>
              <Button
                size="small"
                onClick={() =>
                  setOptions([
                    ...options,
                    {
                      key: crypto.randomUUID(),
                      name: '',
                      color: OPTION_COLORS[options.length % OPTION_COLORS.length]?.value ?? 'slate',
                    },
                  ])
                }
              >
                <Plus aria-hidden />
                {t('Add an option')}
              </Button>
            </div>
          ) : null}
          {gone.length > 0 && lost.data ? (
            <Notice tone="error">
              {t('Documents lose {values} values with the options that you have removed.', { values: lost.data })}
            </Notice>
          ) : null}
        </fieldset>
      ) : null}
      <div className="flex justify-end gap-2">
        <Button look="quiet" onClick={onDone}>
          {t('Cancel')}
        </Button>
        <Button type="submit" look="primary" busy={saving.isPending}>
          {field ? t('Save') : t('Create')}
        </Button>
      </div>
    </form>
  )
}
