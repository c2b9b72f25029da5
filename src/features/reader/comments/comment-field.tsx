import { useRef, useState } from 'react'
import { MAX_LENGTH } from '../../../../supabase/functions/_shared/facts.ts'
import { Button } from '../../../components/button.tsx'
import { Form } from '../../../components/form.tsx'
import { Textarea } from '../../../components/input.tsx'
import { t } from '../../../lib/i18n/i18n.ts'
import { classNames } from '../../../lib/ui/class-names.ts'
import { mentionAt, type Person, withMentions } from './mention-text.ts'

type CommentFieldProps = {
  label: string
  placeholder: string
  action: string
  busy: boolean
  people: readonly Person[]
  autoFocus?: boolean
  /** @returns a promise that resolves when the comment is stored; then the field is cleared. */
  onSend: (body: string) => Promise<unknown>
  onCancel?: () => void
}

const OFFERED = 6

/** A comment field. @ mentions a member; Mod+Enter sends. */
export function CommentField({
  label,
  placeholder,
  action,
  busy,
  people,
  autoFocus,
  onSend,
  onCancel,
}: CommentFieldProps) {
  const [text, setText] = useState('')
  const [caret, setCaret] = useState(0)
  const [chosen, setChosen] = useState(0)
  const field = useRef<HTMLTextAreaElement>(null)
  const mention = mentionAt(text, caret)
  const offered = mention
    ? people.filter(({ name }) => name.toLowerCase().includes(mention.typed.toLowerCase())).slice(0, OFFERED)
    : []
  // A complete name needs no suggestions.
  const open = offered.length > 0 && !people.some(({ name }) => name === mention?.typed)

  const call = (person: Person | undefined) => {
    if (!mention || !person) return
    const next = `${text.slice(0, mention.start)}@${person.name} ${text.slice(caret)}`
    const place = mention.start + person.name.length + 2
    setText(next)
    setCaret(place)
    requestAnimationFrame(() => {
      field.current?.focus()
      field.current?.setSelectionRange(place, place)
    })
  }
  const send = async () => {
    const body = withMentions(text.trim(), people)
    if (body === '' || busy || body.length > MAX_LENGTH['comments.body']) return
    try {
      await onSend(body)
      setText('')
    } catch {
      // The sender shows the error; the text stays.
    }
  }
  return (
    <Form onSubmit={() => void send()} className="relative grid gap-2">
      <Textarea
        ref={field}
        aria-label={label}
        aria-haspopup="listbox"
        aria-controls={open ? 'people-offered' : undefined}
        aria-activedescendant={open ? `offered-${chosen}` : undefined}
        aria-autocomplete="list"
        placeholder={placeholder}
        column="comments.body"
        rows={2}
        autoFocus={autoFocus}
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          setCaret(target.selectionStart)
          setChosen(0)
        }}
        onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) return void send()
          if (event.key === 'Escape' && onCancel && !open) return onCancel()
          if (!open) return
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault()
            setChosen((chosen + (event.key === 'ArrowDown' ? 1 : -1) + offered.length) % offered.length)
          } else if (event.key === 'Enter' || event.key === 'Tab') {
            event.preventDefault()
            call(offered[chosen])
          } else if (event.key === 'Escape') setCaret(0)
        }}
        className="min-h-16 text-sm"
      />
      {open ? <PeopleOffered people={offered} chosen={chosen} onChoose={call} /> : null}
      <div className="flex justify-end gap-1.5">
        {onCancel ? (
          <Button look="quiet" size="small" onClick={onCancel}>
            {t('Cancel')}
          </Button>
        ) : null}
        <Button type="submit" size="small" busy={busy}>
          {action}
        </Button>
      </div>
    </Form>
  )
}

type PeopleOfferedProps = { people: readonly Person[]; chosen: number; onChoose: (person: Person) => void }

/** The focus stays in the field, whose keys control the list (aria-activedescendant). */
function PeopleOffered({ people, chosen, onChoose }: PeopleOfferedProps) {
  return (
    <div
      id="people-offered"
      role="listbox"
      aria-label={t('People to mention')}
      tabIndex={-1}
      className="absolute top-full z-20 -mt-9 w-full rounded-lg border border-line bg-surface p-1 shadow-lift"
    >
      {people.map((person, index) => (
        <div
          dir="auto"
          key={person.id}
          id={`offered-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          onMouseDown={(event) => {
            event.preventDefault()
            onChoose(person)
          }}
          className={classNames('cursor-pointer rounded px-2 py-1.5 text-sm', index === chosen && 'bg-hover')}
        >
          {person.name}
          {person.isGroup ? <span className="text-ink-faint text-xs"> · {t('group')}</span> : null}
        </div>
      ))}
    </div>
  )
}
