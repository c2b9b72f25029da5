import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeftRight, FilePlus2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { NameDialog } from '../../components/name-dialog.tsx'
import { showFailure } from '../../domain/failure-toast.ts'
import { addTemplate } from '../../features/notes/templates/mutations.ts'
import { templateFrom } from '../../features/notes/templates/template-text.ts'
import type { OpenDocument } from '../../features/reader/queries.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { showToast } from '../../lib/ui/toast.ts'

type DocumentToolsProps = { library: string; document: OpenDocument; canEdit: boolean }

/** What is done with a document now and then. */
export function DocumentTools({ library, document, canEdit }: DocumentToolsProps) {
  const [isNaming, setNaming] = useState(false)
  const adding = useMutation({ ...addTemplate, onError: showFailure })
  const text = document.kind === 'note' && canEdit ? document.version?.body : undefined
  const keep = (title: string) => {
    const { body, pictures } = templateFrom(text ?? '')
    adding.mutate(
      { library, title, body },
      {
        onSuccess: () =>
          showToast({
            title: t('“{title}” is a template of this library', { title }),
            ...(pictures > 0
              ? { description: t('Pictures stay with the note: the template has their descriptions.') }
              : {}),
          }),
      },
    )
  }
  return (
    <div className="flex flex-wrap gap-2">
      {text != null ? (
        <Button size="small" onClick={() => setNaming(true)}>
          <FilePlus2 aria-hidden />
          {t('Save as template')}
        </Button>
      ) : null}
      <Button size="small" asChild>
        <Link to="/l/$library/compare" params={{ library }} search={{ a: document.id }}>
          <ArrowLeftRight aria-hidden />
          {t('Compare with…')}
        </Link>
      </Button>
      {isNaming ? (
        <NameDialog
          title={t('Save as template')}
          label={t('Title')}
          initial={document.title}
          longest={LONGEST_TITLE}
          action={t('Save')}
          onName={keep}
          onClose={() => setNaming(false)}
        />
      ) : null}
    </div>
  )
}

/** The database's own limit on a title. */
const LONGEST_TITLE = 300
