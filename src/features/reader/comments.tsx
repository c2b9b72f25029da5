import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Check, RotateCcw } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Avatar } from '../../components/avatar.tsx'
import { Button } from '../../components/button.tsx'
import { Textarea } from '../../components/input.tsx'
import { avatarUrl } from '../../lib/avatar-url.ts'
import { formatSince } from '../../lib/format.ts'
import { sayFailure } from '../../lib/toast.ts'
import { addComment, setResolved } from './mutations.ts'
import { commentsQuery } from './queries.ts'

type CommentsProps = {
  library: string
  document: string
  passage: { id: string; page: number | null; content: string } | undefined
}

/** What members say about a document; about the open passage, when one is. */
export function Comments({ library, document, passage }: CommentsProps) {
  const queryClient = useQueryClient()
  const { data: comments = [] } = useQuery(commentsQuery(library, document))
  const [body, setBody] = useState('')
  const refresh = () => queryClient.invalidateQueries({ queryKey: commentsQuery(library, document).queryKey })
  const addition = useMutation({
    ...addComment,
    onError: sayFailure,
    onSuccess: () => {
      setBody('')
      return refresh()
    },
  })
  const resolution = useMutation({ ...setResolved, onError: sayFailure, onSuccess: refresh })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (body.trim()) addition.mutate({ library, document, body: body.trim(), passage })
  }

  return (
    <section aria-labelledby="comments">
      <h2 id="comments" className="eyebrow mb-3">
        Comments
      </h2>
      <ul className="grid gap-4">
        {comments.map(({ id, author, body: words, quote, page, resolved_at, created_at }) => (
          <li key={id} className={resolved_at ? 'opacity-65' : undefined}>
            <div className="flex items-start gap-2.5">
              <Avatar
                decorative
                name={author?.display_name ?? '?'}
                src={avatarUrl(author?.avatar_path ?? null)}
                className="size-7"
              />
              <div className="min-w-0 flex-1">
                <p className="text-xs">
                  <span className="font-medium text-ink">{author?.display_name ?? 'Somebody who left'}</span>{' '}
                  <time dateTime={created_at} className="text-ink-faint">
                    {formatSince(created_at)}
                  </time>
                </p>
                {quote ? (
                  <p className="mt-1 line-clamp-2 border-mark-strong border-l-2 pl-2 font-serif text-[0.8125rem] text-ink-soft italic">
                    {page ? `p. ${page}: ` : ''}
                    {quote}
                  </p>
                ) : null}
                <p className="mt-1 whitespace-pre-wrap text-sm leading-relaxed">{words}</p>
              </div>
              <Button
                look="quiet"
                size="small-icon"
                aria-label={resolved_at ? 'Open again' : 'Resolve'}
                onClick={() => resolution.mutate({ comment: id, resolved: !resolved_at })}
              >
                {resolved_at ? <RotateCcw aria-hidden /> : <Check aria-hidden />}
              </Button>
            </div>
          </li>
        ))}
      </ul>
      <form onSubmit={submit} className="mt-4 grid gap-2">
        <Textarea
          aria-label={passage ? 'Comment on the passage' : 'Comment on the document'}
          placeholder={passage ? 'About this passage…' : 'About this document…'}
          maxLength={10_000}
          rows={2}
          value={body}
          onChange={(event) => setBody(event.target.value)}
          className="min-h-16 text-sm"
        />
        <Button type="submit" size="small" busy={addition.isPending} className="justify-self-end">
          Comment
        </Button>
      </form>
    </section>
  )
}
