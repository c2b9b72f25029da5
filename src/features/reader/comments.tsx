import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { t } from '../../lib/i18n.ts'
import { sayFailure } from '../../lib/toast.ts'
import type { Anchor } from './anchors.ts'
import { CommentField } from './comment-field.tsx'
import { CommentThread } from './comment-thread.tsx'
import type { Person } from './mention-text.ts'
import { addComment, deleteComment, setResolved } from './mutations.ts'
import { commentsQuery } from './queries.ts'

type CommentsProps = {
  library: string
  document: string
  person: string
  people: readonly Person[]
  /** What a new comment is about, where it is not the whole document. */
  about: (Anchor & { passage?: string }) | undefined
  /** Which comment was opened by its address. */
  open: string | undefined
  onAbout: (about: undefined) => void
  onShow: (comment: string) => void
}

/** What members say about a document and about places in it, in threads. */
export function Comments({ library, document, person, people, about, open, onAbout, onShow }: CommentsProps) {
  const queryClient = useQueryClient()
  const { data: comments = [] } = useQuery(commentsQuery(library, document))
  const [resolved, setResolvedShown] = useState(false)
  const options = {
    onError: sayFailure,
    onSettled: () => queryClient.invalidateQueries({ queryKey: commentsQuery(library, document).queryKey }),
  }
  const addition = useMutation({ ...addComment, ...options })
  const resolution = useMutation({ ...setResolved, ...options })
  const deletion = useMutation({ ...deleteComment, ...options })

  const answers = Map.groupBy(comments, ({ parent_id }) => parent_id)
  const threads = answers.get(null) ?? []
  const done = threads.filter(({ resolved_at }) => resolved_at !== null)
  const shown = threads.filter(({ id, resolved_at }) => resolved || resolved_at === null || id === open)
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
        {shown.map((comment) => (
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
            onResolve={(on) => resolution.mutate({ comment: comment.id, resolved: on })}
            onDelete={(id) => deletion.mutate(id)}
          />
        ))}
      </ul>
      <div className="mt-4">
        {about ? (
          <p className="mb-2 line-clamp-3 border-mark-strong border-l-2 pl-2 font-serif text-[0.8125rem] text-ink-soft italic">
            {about.page ? t('p. {page}: ', { page: about.page }) : ''}
            {about.quote}
          </p>
        ) : null}
        <CommentField
          key={about?.quote}
          label={about ? t('Comment on the passage') : t('Comment on the document')}
          placeholder={about ? t('About this passage… @ calls somebody') : t('About this document… @ calls somebody')}
          action={t('Comment')}
          busy={addition.isPending}
          people={others}
          autoFocus={about !== undefined && about.passage === undefined}
          onSend={async (body) => {
            await addition.mutateAsync({ id: crypto.randomUUID(), library, document, body, anchor: about })
            onAbout(undefined)
          }}
        />
      </div>
    </section>
  )
}
