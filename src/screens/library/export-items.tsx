import { useRouter } from '@tanstack/react-router'
import { Copy, Download, FileCode, FileText, Link2, Printer } from 'lucide-react'
import { MenuItem } from '../../components/menu.tsx'
import { showFailure, useAction } from '../../domain/failure-toast.ts'
import { keys } from '../../domain/keys.ts'
import { CitationItems } from '../../features/citation/citation-items.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { defineMutation } from '../../lib/mutations.ts'
import { showToast } from '../../lib/ui/toast.ts'
import type { DocumentKey, ExportForm } from './export-document.ts'

const load = () => import('./export-document.ts')
export const download = defineMutation({ mutationFn: async (key: DocumentKey) => (await load()).download(key) })
const exportNote = defineMutation({
  mutationFn: async (key: DocumentKey & { form: ExportForm }) => (await load()).exportNote(key),
})
const duplicate = defineMutation({
  mutationFn: async (key: DocumentKey) => (await load()).duplicate(key),
  invalidates: ({ library }) => [keys.documents(library), keys.titles(library)],
})

type ExportItemsProps = { library: string; document: { id: string; title: string; kind: string }; canEdit: boolean }

export function ExportItems({ library, document, canEdit }: ExportItemsProps) {
  const { id, title, kind } = document
  const router = useRouter()
  const downloading = useAction(download)
  const exporting = useAction(exportNote)
  // A callback of the hook, because the menu has unmounted when the copy is ready.
  const copying = useAction(duplicate, {
    onSuccess: (copy) =>
      showToast({
        title: t('“{title}” was added', { title: copy.title }),
        action: {
          label: t('Open'),
          onClick: () =>
            void router.navigate({ to: '/l/$library/d/$document', params: { library, document: copy.id } }),
        },
      }),
  })
  const copyLink = async () => {
    const { href } = router.buildLocation({ to: '/l/$library/d/$document', params: { library, document: id } })
    try {
      await navigator.clipboard.writeText(new URL(href, location.origin).href)
      showToast({ title: t('Link to “{title}” copied', { title }) })
    } catch (error) {
      showFailure(error)
    }
  }
  const take = (form: ExportForm) => () => exporting.mutate({ library, id, form })
  return (
    <>
      {canEdit && kind !== 'link' ? (
        <MenuItem icon={Copy} onSelect={() => copying.mutate({ library, id })}>
          {t('Duplicate')}
        </MenuItem>
      ) : null}
      <MenuItem icon={Link2} onSelect={() => void copyLink()}>
        {t('Copy link')}
      </MenuItem>
      <CitationItems documents={[id]} />
      {kind === 'file' ? (
        <MenuItem icon={Download} onSelect={() => downloading.mutate({ library, id })}>
          {t('Download')}
        </MenuItem>
      ) : null}
      {kind === 'note' ? (
        <>
          <MenuItem icon={FileText} onSelect={take('markdown')}>
            {t('Export as Markdown')}
          </MenuItem>
          <MenuItem icon={FileText} onSelect={take('docx')}>
            {t('Export for Word (DOCX)')}
          </MenuItem>
          <MenuItem icon={FileCode} onSelect={take('html')}>
            {t('Export as HTML')}
          </MenuItem>
          <MenuItem icon={Printer} onSelect={take('print')}>
            {t('Print or save as PDF…')}
          </MenuItem>
        </>
      ) : null}
    </>
  )
}
