import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { useAction } from '../../../domain/failure-toast.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import type { Anchor } from '../anchors.ts'
import { addComment, deleteComment, setResolved } from '../mutations.ts'
import { commentsQuery } from '../queries.ts'
import { CommentField } from './comment-field.tsx'
import { CommentThread } from './comment-thread.tsx'
import type { Person } from './mention-text.ts'

type CommentsProps = {
  library: string
  document: string
  person: string
  people: readonly Person[]
  /** The passage of a new comment; undefined for the whole document. */
  anchor: (Anchor & { passage?: string }) | undefined
  open: string | undefined
  onAnchorUsed: () => void
  onShow: (comment: string) => void
}

export function Comments({ library, document, person, people, anchor, open, onAnchorUsed, onShow }: CommentsProps) {
  const { data: comments = [] } = useQuery(commentsQuery(library, document))
  const [resolved, setResolvedShown] = useState(false)
  const addition = useAction(addComment)
  const resolution = useAction(setResolved)
  const deletion = useAction(deleteComment)

  const answers = Map.groupBy(comments, ({ parent_id }) => parent_id)
  // Highlights without replies are only in the list of highlights.
  const threads = (answers.get(null) ?? []).filter(({ id, body }) => body !== '' || answers.has(id))
  const done = threads.filter(({ resolved_at }) => resolved_at !== null)
  const visible = threads.filter(({ id, resolved_at }) => resolved || resolved_at === null || id === open)
  const others = people.filter(({ id }) => id !== person)
  return (
    <section aria-labelledby="comments">
      <div className="mb-3 flex min-h-8 items-center justify-between">
        <h2 id="comments" className="eyebrow">
          {t('Comments')}
        </h2>
        {done.length > 0 ? (
          <Button look="quiet" size="small" aria-pressed={resolved} onClick={() => setResolvedShown(!resolved)}>
            {resolved ? t('Hide resolved') : t('{count} resolved', { count: done.length })}
          </Button>
        ) : null}
      </div>
      <ul className="grid grid-cols-1 gap-5">
        {visible.map((comment) => (
          <CommentThread
            key={comment.id}
            comment={comment}
            answers={answers.get(comment.id) ?? []}
            person={person}
            people={others}
            isOpen={comment.id === open}
            busy={addition.isPending}
            onShow={() => onShow(comment.id)}
            onAnswer={(body) =>
              addition.mutateAsync({ id: crypto.randomUUID(), library, document, body, parent: comment.id })
            }
            onResolve={(on) => resolution.mutate({ library, document, comment: comment.id, resolved: on })}
            onDelete={(id) => deletion.mutate({ library, document, comment: id })}
          />
        ))}
      </ul>
      <div className="mt-4">
        {anchor ? (
          <p className="mb-2 line-clamp-3 border-mark-strong border-s-2 ps-2 font-serif text-[0.8125rem] text-ink-soft italic">
            {anchor.page ? t('p. {page}: ', { page: anchor.page }) : ''}
            <bdi>{anchor.quote}</bdi>
          </p>
        ) : null}
        <CommentField
          key={anchor?.quote}
          label={anchor ? t('Comment on the passage') : t('Comment on the document')}
          placeholder={
            anchor
              ? t('Comment on this passage… @ mentions someone')
              : t('Comment on this document… @ mentions someone')
          }
          action={t('Comment')}
          busy={addition.isPending}
          people={others}
          autoFocus={anchor !== undefined && anchor.passage === undefined}
          onSend={async (body) => {
            await addition.mutateAsync({ id: crypto.randomUUID(), library, document, body, anchor })
            onAnchorUsed()
          }}
        />
      </div>
    </section>
  )
}
