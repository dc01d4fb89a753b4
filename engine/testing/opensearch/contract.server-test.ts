import { describeEngine } from "../engine-contract.ts"
import { clusterUnderTest } from "./cluster-under-test.ts"
import { onCluster } from "./under-test.ts"

const urls = clusterUnderTest()

describeEngine(`OpenSearch (${urls.length} nodes)`, onCluster(urls))
