import { useQuery } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { SelectField } from '../../components/select.tsx'
import { showFailure, useAction } from '../../domain/failure-toast.ts'
import { type Field, fieldOrders } from '../../domain/fields.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { movedColumn } from './columns.ts'
import { FieldForm } from './field-form.tsx'
import { deleteField, orderFields, setCollectionSort } from './mutations.ts'
import { countValues, fieldsQuery, kindLabel } from './queries.ts'

type FieldsDialogProps = {
  library: string
  collection: { id: string; name: string; sort_field_id: string | null; sort_descending: boolean }
  onClose: () => void
}

type Step =
  | { about: 'list' }
  | { about: 'field'; field: Field | undefined }
  | { about: 'end'; field: Field; values: number }

/** A collection's own and inherited fields. Mounted only while open. */
export function FieldsDialog({ library, collection, onClose }: FieldsDialogProps) {
  const { data: fields = [] } = useQuery(fieldsQuery(library, collection.id))
  const [step, setStep] = useState<Step>({ about: 'list' })
  const deletion = useAction(deleteField, { onSuccess: () => setStep({ about: 'list' }) })
  const own = fields.filter((field) => field.collection_id === collection.id)
  const inherited = fields.filter((field) => field.collection_id !== collection.id)
  if (step.about === 'field') {
    return (
      <Dialog
        open
        onOpenChange={() => setStep({ about: 'list' })}
        title={step.field ? t('Change the field “{name}”', { name: step.field.name }) : t('New field')}
      >
        <FieldForm
          library={library}
          collection={collection.id}
          field={step.field}
          onDone={() => setStep({ about: 'list' })}
        />
      </Dialog>
    )
  }
  if (step.about === 'end') {
    return (
      <ConfirmDialog
        title={t('Delete the field “{name}”?', { name: step.field.name })}
        action={t('Delete the field')}
        busy={deletion.isPending}
        onConfirm={() => deletion.mutate({ library, field: step.field.id })}
        onClose={() => setStep({ about: 'list' })}
      >
        {step.values === 0
          ? t('No document has a value in it.')
          : t('Its {values} values are deleted too. They can’t be restored.', { values: step.values })}
      </ConfirmDialog>
    )
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('Fields of “{name}”', { name: collection.name })}
      description={t('Documents here and in nested collections have these fields.')}
    >
      <div className="grid gap-5">
        {own.length > 0 ? (
          <FieldList
            library={library}
            collection={collection.id}
            fields={own}
            onChange={(field) => setStep({ about: 'field', field })}
            onDelete={(field, values) => setStep({ about: 'end', field, values })}
          />
        ) : (
          <p className="text-ink-faint text-sm">
            {t('None yet. A field is a year, a status, a reviewer: anything you’d like to see in a column.')}
          </p>
        )}
        {inherited.length > 0 ? (
          <Notice tone="info">
            {t('From parent collections: {names}', {
              names: inherited.map(({ name }) => name).join(', '),
            })}
          </Notice>
        ) : null}
        <div>
          <Button icon={Plus} onClick={() => setStep({ about: 'field', field: undefined })}>
            {t('New field…')}
          </Button>
        </div>
        {fields.length > 0 ? <CollectionOrder library={library} collection={collection} fields={fields} /> : null}
      </div>
    </Dialog>
  )
}

type FieldListProps = {
  library: string
  collection: string
  fields: readonly Field[]
  onChange: (field: Field) => void
  onDelete: (field: Field, values: number) => void
}

function FieldList({ library, collection, fields, onChange, onDelete }: FieldListProps) {
  const order = useAction(orderFields)
  const count = async (field: Field) => {
    try {
      onDelete(field, await countValues('field_id', field.id))
    } catch (error) {
      showFailure(error)
    }
  }
  return (
    <ul aria-label={t('Fields')} className="divide-y divide-line rounded-lg border border-line">
      {fields.map((field, index) => (
        <li key={field.id} className="flex items-center gap-1 py-1 ps-3 pe-1">
          <span className="min-w-0 flex-1 truncate text-sm">
            {field.name} <span className="text-ink-faint text-xs">{t(kindLabel(field.kind))}</span>
          </span>
          {([-1, 1] as const).map((by) => (
            <IconButton
              key={by}
              icon={by === -1 ? ArrowUp : ArrowDown}
              label={
                by === -1 ? t('Move {name} up', { name: field.name }) : t('Move {name} down', { name: field.name })
              }
              disabled={index + by < 0 || index + by >= fields.length}
              onClick={() =>
                order.mutate({ library, collection, fields: movedColumn(fields, index, by).map(({ id }) => id) })
              }
            />
          ))}
          <IconButton icon={Pencil} label={t('Change {name}', { name: field.name })} onClick={() => onChange(field)} />
          <IconButton
            icon={Trash2}
            label={t('Delete {name}', { name: field.name })}
            onClick={() => void count(field)}
          />
        </li>
      ))}
    </ul>
  )
}

type CollectionOrderProps = Pick<FieldsDialogProps, 'library' | 'collection'> & { fields: readonly Field[] }

function CollectionOrder({ library, collection, fields }: CollectionOrderProps) {
  const sorting = useAction(setCollectionSort)
  const { sort_field_id: field, sort_descending: isDescending } = collection
  return (
    <SelectField
      label={t('Collection order')}
      hint={t('This is the default order for everyone.')}
      value={field ? `${isDescending ? '-' : ''}${field}` : ''}
      options={[{ value: '', label: t('Newest first') }, ...fieldOrders(fields)]}
      onValue={(chosen) =>
        sorting.mutate({
          library,
          collection: collection.id,
          field: chosen.replace(/^-/, '') || null,
          descending: chosen.startsWith('-'),
        })
      }
    />
  )
}
