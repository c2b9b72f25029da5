import { createFileRoute } from '@tanstack/react-router'
import { RulesScreen } from '../../screens/library/rules-screen.tsx'

export const Route = createFileRoute('/_signed-in/l/$library/settings_/rules')({
  // Imported lazily: few people open this page, and every page loads the routes' imports.
  loader: async ({ context: { queryClient }, params: { library } }) => {
    const { loadRules } = await import('../../screens/library/load-rules.ts')
    await loadRules(queryClient, library)
  },
  component: RulesScreen,
})
