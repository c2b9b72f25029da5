import { createFileRoute } from '@tanstack/react-router'
import { SecurityScreen } from '../../screens/settings/security-screen.tsx'

export const Route = createFileRoute('/_signed-in/settings/security')({ component: SecurityScreen })
