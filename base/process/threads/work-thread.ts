import { parentPort } from "node:worker_threads"
import { answerCalls } from "./work-answers.ts"

// The program of the threads of work-threads.ts.
if (parentPort) answerCalls(parentPort)
