// npm run demo: a server of its own, and a story about delivery played on it over HTTP.
import { play } from './demo/story.ts'
import { stage } from './stage.ts'

await stage('demo', 'Rheo Edge: event streams with consumer groups', play)
if (!process.exitCode)
  process.stdout.write('To look around: npm run dev, and http://localhost:8787/dashboard in a browser.\n\n')
