// npm run walkthrough: a server of its own, and the concepts played on it over HTTP.
import { stage } from './stage.ts'
import { play } from './walkthrough/story.ts'

await stage('walkthrough', 'Rheo Edge: the concepts, one after the other', (api) => play(api, 'market-events'))
