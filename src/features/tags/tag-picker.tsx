import { useMutation, useQuery } from '@tanstack/react-query'
import { Check, Minus, Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form.tsx'
import { Input } from '../../components/input.tsx'
import { showFailure, useAction } from '../../domain/failure-toast.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { addTag, setTag } from './mutations.ts'
import { tagsQuery } from './queries.ts'

type TagPickerProps = {
  library: string
  title: string
  documents: readonly { id: string; tags: readonly { tag: { id: string } }[] }[]
  onClose: () => void
}

/** Adds, removes and creates tags; changes apply immediately. Mounted only while open. */
export function TagPicker({ library, title, documents, onClose }: TagPickerProps) {
  const { data: tags = [] } = useQuery(tagsQuery(library))
  const [name, setName] = useState('')
  // Choices made here, on top of the tags when the dialog opened.
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map())
  const tagging = useMutation({
    ...setTag,
    // Serialized, so that the last choice wins.
    scope: { id: `tags of ${library}` },
    onError: (error, { tag }) => {
      showFailure(error)
      setChosen((before) => new Map([...before].filter(([chosenTag]) => chosenTag !== tag)))
    },
  })
  const addition = useAction(addTag, { onSuccess: ({ id }) => put(id, true) })
  const ids = documents.map(({ id }) => id)
  const put = (tag: string, on: boolean) => {
    setChosen((before) => new Map(before).set(tag, on))
    tagging.mutate({ library, documents: ids, tag, on })
  }
  const stateOf = (tag: string): boolean | 'mixed' => {
    const now = chosen.get(tag)
    if (now !== undefined) return now
    const count = documents.filter((document) => document.tags.some((on) => on.tag.id === tag)).length
    return count === 0 ? false : count === documents.length ? true : 'mixed'
  }
  const wanted = name.trim()
  const existing = tags.find((tag) => tag.name.toLowerCase() === wanted.toLowerCase())
  const submit = () => {
    if (!wanted) return
    setName('')
    if (existing) put(existing.id, true)
    else addition.mutate({ library, name: wanted })
  }
  const matches = tags.filter((tag) => tag.name.toLowerCase().includes(wanted.toLowerCase()))
  return (
    <Dialog open onOpenChange={onClose} title={title}>
      <Form onSubmit={submit} className="flex gap-2">
        <Input
          aria-label={t('Find or create a tag')}
          placeholder={t('Find or create a tag…')}
          column="tags.name"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button icon={Plus} type="submit" disabled={wanted === ''} busy={addition.isPending}>
          {existing ? t('Add') : t('Create')}
        </Button>
      </Form>
      <ul className="mt-4 max-h-[45dvh] overflow-y-auto">
        {matches.map((tag) => {
          const state = stateOf(tag.id)
          return (
            <li key={tag.id}>
              {/* biome-ignore lint/a11y/useSemanticElements: an input cannot be on, off or on for some */}
              <button
                type="button"
                role="checkbox"
                aria-checked={state}
                onClick={() => put(tag.id, state !== true)}
                className="flex min-h-10 w-full items-center gap-3 rounded-md px-2.5 text-start text-sm hover:bg-hover"
              >
                <span className="grid size-4.5 shrink-0 place-items-center rounded border border-edge [&_svg]:size-3.5">
                  {state === true ? <Check aria-hidden /> : state === 'mixed' ? <Minus aria-hidden /> : null}
                </span>
                <span dir="auto" className="truncate">
                  {tag.name}
                </span>
              </button>
            </li>
          )
        })}
      </ul>
      {tags.length === 0 ? (
        <p className="text-ink-faint text-sm">{t('No tag yet: type a word and press Enter.')}</p>
      ) : null}
    </Dialog>
  )
}
