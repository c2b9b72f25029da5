import { useQuery } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Button, IconButton } from '../../../components/button.tsx'
import { FailureNotice } from '../../../components/notice.tsx'
import { Skeleton } from '../../../components/skeleton.tsx'
import { useAction } from '../../../domain/failure-toast.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import { showToast } from '../../../lib/ui/toast.ts'
import type { References } from '../editor/reference-menus.ts'
import { addTemplate, deleteTemplate } from './mutations.ts'
import { templateQuery, templatesQuery } from './queries.ts'
import { suggestedTemplates } from './suggestions.ts'

const TemplateEditor = lazy(() =>
  import('./template-editor.tsx').then(({ TemplateEditor }) => ({ default: TemplateEditor })),
)

export function TemplateList({ library, references }: { library: string; references: References }) {
  const { data: templates = [], error } = useQuery(templatesQuery(library))
  const [open, setOpen] = useState<string>()
  const { data: opened, error: missing } = useQuery({ ...templateQuery(library, open ?? ''), enabled: !!open })
  const adding = useAction(addTemplate)
  const deletion = useAction(deleteTemplate)
  const remove = (id: string) =>
    deletion.mutate(
      { library, id },
      {
        onSuccess: (deleted) => {
          if (!deleted) return
          showToast({
            title: t('The template “{title}” was deleted', { title: deleted.title }),
            action: { label: t('Undo'), onClick: () => adding.mutate({ library, ...deleted }) },
          })
        },
      },
    )
  const titles = new Set(templates.map(({ title }) => title))
  const suggestions = suggestedTemplates().filter(({ title }) => !titles.has(title))

  if (opened && opened.id === open) {
    return (
      <Suspense fallback={<Skeleton className="h-40" />}>
        <TemplateEditor
          key={opened.id}
          library={library}
          template={opened}
          references={references}
          onClose={() => setOpen(undefined)}
        />
      </Suspense>
    )
  }
  return (
    <div className="grid gap-4">
      <FailureNotice error={error ?? missing} />
      {templates.length > 0 ? (
        <ul aria-label={t('Templates')} className="divide-y divide-line rounded-lg border border-line">
          {templates.map(({ id, title }) => (
            <li key={id} className="flex items-center gap-2 px-3 py-1.5">
              <button
                type="button"
                dir="auto"
                onClick={() => setOpen(id)}
                className="min-h-8 min-w-0 flex-1 truncate rounded text-start font-medium text-sm hover:text-accent-strong"
              >
                {title}
              </button>
              <IconButton
                icon={Trash2}
                label={t('Delete the template “{title}”', { title })}
                onClick={() => remove(id)}
              />
            </li>
          ))}
        </ul>
      ) : null}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          icon={Plus}
          size="small"
          busy={adding.isPending}
          onClick={() => adding.mutate({ library, title: t('New template'), body: '' })}
        >
          {t('New template')}
        </Button>
        {suggestions.map(({ id, title, body }) => (
          <Button
            icon={Plus}
            key={id}
            size="small"
            look="quiet"
            onClick={() => adding.mutate({ library, title, body })}
          >
            {t('{title} (suggestion)', { title })}
          </Button>
        ))}
      </div>
    </div>
  )
}
