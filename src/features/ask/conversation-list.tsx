import { Link } from '@tanstack/react-router'
import { MessageSquarePlus, X } from 'lucide-react'
import { Button, IconButton } from '../../components/button.tsx'
import { formatRelativeTime } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'

type Conversation = { id: string; title: string; updated_at: string }
type ConversationListProps = {
  library: string
  conversations: readonly Conversation[]
  open: string | undefined
  onDelete: (conversation: Conversation) => void
}

export function ConversationList({ library, conversations, open, onDelete }: ConversationListProps) {
  return (
    <nav aria-label={t('Earlier questions')} className="grid content-start gap-2">
      <Button asChild size="small" className="justify-self-start">
        <Link to="/l/$library/ask" params={{ library }} search={{}}>
          <MessageSquarePlus aria-hidden />
          {t('New question')}
        </Link>
      </Button>
      <ul className="grid gap-0.5">
        {conversations.map((conversation) => (
          <li key={conversation.id} className="group flex items-center rounded-md hover:bg-hover">
            <Link
              to="/l/$library/ask"
              params={{ library }}
              search={{ conversation: conversation.id }}
              aria-current={conversation.id === open ? 'page' : undefined}
              className="min-w-0 flex-1 rounded-md px-2.5 py-2 text-sm aria-[current=page]:font-medium"
            >
              <span dir="auto" className="line-clamp-2">
                {conversation.title}
              </span>
              <span className="text-ink-faint text-xs">{formatRelativeTime(conversation.updated_at)}</span>
            </Link>
            <IconButton
              icon={X}
              label={t('Delete {title}', { title: conversation.title })}
              onClick={() => onDelete(conversation)}
              className="opacity-0 focus-visible:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100"
            />
          </li>
        ))}
      </ul>
    </nav>
  )
}
