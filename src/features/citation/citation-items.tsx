import { ChevronDown, Quote } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Menu, MenuItem } from '../../components/menu.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { formattingLocale, t } from '../../lib/i18n/i18n.ts'
import { defineMutation } from '../../lib/mutations.ts'
import { classNames } from '../../lib/ui/class-names.ts'
import { showToast } from '../../lib/ui/toast.ts'
import type { CitationStyle } from './cite.ts'

const NAMES: Readonly<Record<CitationStyle, string>> = { apa: 'APA', mla: 'MLA', chicago: 'Chicago', bibtex: 'BibTeX' }
const STYLES: readonly CitationStyle[] = ['apa', 'mla', 'chicago', 'bibtex']

const copyCitation = defineMutation({
  mutationFn: async ({ documents, style }: { documents: readonly string[]; style: CitationStyle }) => {
    const written = writeCitation(documents, style)
    const part = async (type: 'text' | 'html') => {
      const { text, html = `<pre>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</pre>` } = await written
      return new Blob([type === 'text' ? text : html], { type: type === 'text' ? 'text/plain' : 'text/html' })
    }
    // Promises, because browsers allow clipboard access only during the user's key press or click.
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': part('text'), 'text/html': part('html') })])
  },
})

/** The citation processor is large and rarely used, so it's loaded on demand. */
async function writeCitation(documents: readonly string[], style: CitationStyle) {
  const [{ cite }, { citedItem }, { citedDocuments }] = await Promise.all([
    import('./cite.ts'),
    import('./cited-item.ts'),
    import('./queries.ts'),
  ])
  const items = (await citedDocuments(documents)).map(citedItem)
  return cite(items, style, formattingLocale().startsWith('de') ? 'de-DE' : 'en-US')
}

type CitationProps = { documents: readonly string[] }

function CitationStyles({ documents }: CitationProps) {
  const copying = useAction(copyCitation, {
    onSuccess: (_copied, { style }) => showToast({ title: t('Citation copied: {style}', { style: NAMES[style] }) }),
  })
  return STYLES.map((style) => (
    <MenuItem key={style} className="ps-9" onSelect={() => copying.mutate({ documents, style })}>
      {NAMES[style]}
    </MenuItem>
  ))
}

export function CitationItems({ documents }: CitationProps) {
  const [isOpen, setOpen] = useState(false)
  const toggle = (event: Event) => {
    event.preventDefault()
    setOpen(!isOpen)
  }
  return (
    <>
      <MenuItem icon={Quote} aria-expanded={isOpen} onSelect={toggle}>
        {t('Copy citation')}
        <ChevronDown aria-hidden className={classNames('ms-auto', isOpen && 'rotate-180')} />
      </MenuItem>
      {isOpen ? <CitationStyles documents={documents} /> : null}
    </>
  )
}

export const CitationMenu = ({ documents }: CitationProps) => (
  <Menu
    label={t('Copy citations')}
    trigger={
      <Button icon={Quote} look="quiet" size="small" className="max-sm:hidden">
        {t('Cite…')}
      </Button>
    }
  >
    <CitationStyles documents={documents} />
  </Menu>
)
