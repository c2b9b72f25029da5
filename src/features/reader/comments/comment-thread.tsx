import { Check, CornerDownRight, Highlighter, RotateCcw, Trash2 } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Avatar } from '../../../components/avatar.tsx'
import { Button, IconButton } from '../../../components/button.tsx'
import { avatarUrl } from '../../../domain/avatar-url.ts'
import { formatRelativeTime } from '../../../lib/i18n/format.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import { classNames } from '../../../lib/ui/class-names.ts'
import type { Comment } from '../queries.ts'
import { CommentField } from './comment-field.tsx'
import { type Person, runsOf } from './mention-text.ts'

type CommentThreadProps = {
  comment: Comment
  answers: readonly Comment[]
  person: string
  people: readonly Person[]
  isOpen: boolean
  busy: boolean
  onShow: () => void
  onAnswer: (body: string) => Promise<unknown>
  onResolve: (resolved: boolean) => void
  onDelete: (comment: string) => void
}

export function CommentThread(props: CommentThreadProps) {
  const { comment, answers, person, people, isOpen, busy, onShow, onAnswer, onResolve, onDelete } = props
  const [answering, setAnswering] = useState(false)
  const item = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isOpen) item.current?.scrollIntoView({ block: 'nearest' })
  }, [isOpen])
  const isHighlight = comment.body === ''
  return (
    <li
      ref={item}
      className={classNames(
        '-mx-2 rounded-lg px-2 py-1',
        isOpen && 'bg-accent-soft',
        comment.resolved_at !== null && 'opacity-65',
      )}
    >
      <div className="flex items-start gap-2.5">
        <Said comment={comment}>
          {comment.quote ? (
            <button
              type="button"
              onClick={onShow}
              className="mt-1 line-clamp-2 border-mark-strong border-s-2 ps-2 text-start font-serif text-[0.8125rem] text-ink-soft italic hover:text-ink"
            >
              {comment.page ? t('p. {page}: ', { page: comment.page }) : ''}
              <bdi>{comment.quote}</bdi>
            </button>
          ) : null}
          {isHighlight ? (
            <p className="mt-1 flex items-center gap-1.5 text-ink-faint text-xs">
              <Highlighter aria-hidden className="size-3.5" />
              {t('Highlighted')}
            </p>
          ) : null}
        </Said>
        <div className="flex">
          {comment.created_by === person ? (
            <IconButton icon={Trash2} label={t('Delete')} onClick={() => onDelete(comment.id)} />
          ) : null}
          {isHighlight ? null : (
            <IconButton
              icon={comment.resolved_at ? RotateCcw : Check}
              label={comment.resolved_at ? t('Open again') : t('Resolve')}
              onClick={() => onResolve(!comment.resolved_at)}
            />
          )}
        </div>
      </div>
      {answers.length > 0 ? (
        <ul className="mt-3 ms-3.5 grid grid-cols-1 gap-3 border-line border-s ps-4">
          {answers.map((answer) => (
            <li key={answer.id} className="flex items-start gap-2.5">
              <Said comment={answer} />
              {answer.created_by === person ? (
                <IconButton icon={Trash2} label={t('Delete')} onClick={() => onDelete(answer.id)} />
              ) : null}
            </li>
          ))}
        </ul>
      ) : null}
      {answering ? (
        <div className="mt-2 ms-3.5 border-line border-s ps-4">
          <CommentField
            label={t('Your reply')}
            placeholder={t('Reply…')}
            action={t('Reply')}
            busy={busy}
            people={people}
            autoFocus
            onCancel={() => setAnswering(false)}
            onSend={async (body) => {
              await onAnswer(body)
              setAnswering(false)
            }}
          />
        </div>
      ) : comment.resolved_at === null ? (
        <Button look="quiet" size="small" className="mt-1 -ms-1" onClick={() => setAnswering(true)}>
          <CornerDownRight aria-hidden className="rtl:-scale-x-100" />
          {t('Reply')}
        </Button>
      ) : null}
    </li>
  )
}

function Said({ comment, children }: { comment: Comment; children?: ReactNode }) {
  const { author, created_at, edited_at, body } = comment
  return (
    <>
      <Avatar
        decorative
        name={author?.display_name ?? '?'}
        src={avatarUrl(author?.avatar_path ?? null)}
        className="size-7"
      />
      <div className="min-w-0 flex-1">
        <p className="text-xs">
          <bdi className="font-medium text-ink">{author?.display_name ?? t('Former member')}</bdi>{' '}
          <time dateTime={created_at} className="text-ink-faint">
            {formatRelativeTime(created_at)}
          </time>
          {edited_at ? <span className="text-ink-faint"> · {t('edited')}</span> : null}
        </p>
        {children}
        {body ? (
          <p className="bidi-lines mt-1 whitespace-pre-wrap text-sm leading-relaxed">
            {runsOf(body).map(({ text, person }, place) =>
              person ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: the words of a comment stay in their order
                <strong key={place} className="font-medium text-accent-strong">
                  {text}
                </strong>
              ) : (
                text
              ),
            )}
          </p>
        ) : null}
      </div>
    </>
  )
}
