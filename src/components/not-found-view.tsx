import { Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { t } from '../lib/i18n/i18n.ts'
import { Button } from './button.tsx'
import { EmptyState } from './empty-state.tsx'

export function NotFoundView() {
  return (
    <main id="main">
      <EmptyState
        icon={Compass}
        title={t('There is no page here')}
        action={
          <Button asChild look="primary">
            <Link to="/">{t('My libraries')}</Link>
          </Button>
        }
      >
        {t('The address may be incomplete, or the page has moved.')}
      </EmptyState>
    </main>
  )
}
